package dev.weir.memory.jfr;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Throttle;
import org.jspecify.annotations.Nullable;

/** A refused allocation, where it happens. */
@Name("weir.AllocationRefusal")
@Label("Allocation Refusal")
@Description("An allocation that a limit refused")
@Category("Weir")
@Throttle("100/s")
@StackTrace(true)
@SuppressWarnings("unused") // the recording reads the fields
final class RefusalEvent extends Event {
  @Label("Caller")
  @Description("Who asked for it: the innermost frame outside Weir and Netty's buffers")
  @Nullable String caller;

  @Label("Budget")
  @Nullable String budget;

  @Label("Requested Size")
  @DataAmount
  long requestedBytes;

  @Label("Limiting Budget")
  @Description("The one that has no room: the root where pages are short")
  @Nullable String limitingBudget;

  @Label("Limit")
  @DataAmount
  long limitBytes;

  @Label("Charged")
  @DataAmount
  long chargedBytes;
}
