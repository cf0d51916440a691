package dev.weir.memory.jfr;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** A budget at one moment. */
@Name("weir.BudgetStatistics")
@Label("Budget Statistics")
@Description("A budget: of each, the 32 children that hold most, 256 budgets in all")
@Category("Weir")
@Period("10 s")
@StackTrace(false)
@SuppressWarnings("unused") // the recording reads the fields
final class BudgetEvent extends Event {
  @Label("Budget")
  @Nullable String budget;

  @Label("Charged")
  @DataAmount
  long chargedBytes;

  @Label("Peak")
  @DataAmount
  long peakBytes;

  @Label("Limit")
  @Description("Largest number: no limit of its own")
  @DataAmount
  long limitBytes;

  @Label("Java Heap Buffers")
  @DataAmount
  long heapBytes;

  @Label("Java Heap Held")
  @Description("Of a pool: all arrays behind its heap buffers, with what is free in them")
  @DataAmount
  long heldHeapBytes;

  @Label("Pressure")
  @Nullable String pressure;
}
