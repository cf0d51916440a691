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

/** A change of pressure, seen at the next look. */
@Name("weir.PressureChange")
@Label("Pressure Change")
@Description("How close a budget is to its limit has changed since the last look")
@Category("Weir")
@Period("1 s")
@StackTrace(false)
@SuppressWarnings("unused") // the recording reads the fields
final class PressureEvent extends Event {
  @Label("Budget")
  @Nullable String budget;

  @Label("Before")
  @Nullable String before;

  @Label("Now")
  @Nullable String now;

  @Label("Charged")
  @DataAmount
  long chargedBytes;

  @Label("Soft Limit")
  @DataAmount
  long softLimitBytes;

  @Label("Limit")
  @DataAmount
  long limitBytes;
}
