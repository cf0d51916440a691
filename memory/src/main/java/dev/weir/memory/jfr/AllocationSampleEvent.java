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

/** A sampled allocation, where it happens. */
@Name("weir.AllocationSample")
@Label("Sampled Allocation")
@Description("A block that the profile of live memory has sampled; needs PoolOptions.withProfile")
@Category("Weir")
@Throttle("100/s")
@StackTrace(true)
@SuppressWarnings("unused") // the recording reads the fields
final class AllocationSampleEvent extends Event {
  @Label("Caller")
  @Description("Who asked for it: the innermost frame outside Weir and Netty's buffers")
  @Nullable String caller;

  @Label("Budget")
  @Nullable String budget;

  @Label("Block Size")
  @DataAmount
  long blockBytes;

  @Label("Weight")
  @Description("The bytes of all blocks that the sample stands for")
  @DataAmount
  long weightBytes;
}
