package dev.weir.memory.jfr;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Throttle;

/** A purge, with its duration. */
@Name("weir.Purge")
@Label("Purge")
@Description("Pages given back to the operating system by one or several system calls")
@Category("Weir")
@Throttle("100/s")
@StackTrace(false)
@SuppressWarnings("unused") // the recording reads the fields
final class PurgeEvent extends Event {
  @Label("Size")
  @DataAmount
  long bytes;

  @Label("Ranges")
  long ranges;
}
