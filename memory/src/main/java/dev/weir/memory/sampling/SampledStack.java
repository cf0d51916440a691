package dev.weir.memory.sampling;

import java.util.List;

/** The stack of a sample: as the JVM took it, or as its frames. */
interface SampledStack {
  /**
   * The frames of those who called Weir, through Netty's buffers or not, the innermost first, at
   * most 64.
   */
  List<StackTraceElement> frames();

  /** Frames with names, shared by all samples of the place. */
  record Named(List<StackTraceElement> frames) implements SampledStack {}

  /** What is shown for a block that came to {@code holder} after its allocation. */
  record Held(String holder, SampledStack stack) {}
}
