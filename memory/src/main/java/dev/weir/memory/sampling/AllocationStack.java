package dev.weir.memory.sampling;

import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/**
 * Where a block was allocated, or released. A {@code Throwable} for its stack trace alone, which
 * the JVM takes quickly and turns into names only when somebody asks.
 */
@SuppressWarnings("serial") // never written
public final class AllocationStack extends Throwable implements SampledStack {
  /** Names who has called Weir, of the thread that asks: the innermost frame outside it. */
  public static final Supplier<String> CALLER = AllocationStack::caller;

  /** The most frames that are shown; what called them is left out. */
  static final int MAX_FRAMES = 64;

  private static final List<String> OWN_PACKAGES =
      List.of(
          "dev.weir.memory.sampling.",
          "dev.weir.memory.heap.",
          "dev.weir.memory.guard.",
          "dev.weir.memory.hardening.",
          "dev.weir.memory.jfr.",
          "dev.weir.netty.buffer.",
          "io.netty.buffer.");

  /** Netty's, and Weir's handlers, which do not keep what they allocate either. */
  private static final List<String> PIPELINE_PACKAGES =
      List.of("io.netty.", "dev.weir.netty.", "dev.weir.compression.");

  private static final List<String> OWN_CLASSES =
      List.of(
          "dev.weir.memory.AllocatorSupport",
          "dev.weir.memory.Block",
          "dev.weir.memory.Pool",
          "dev.weir.memory.Grant",
          "dev.weir.memory.BlockSamples",
          "dev.weir.memory.BlockScope",
          "dev.weir.netty.WeirAllocator");

  /** Takes the stack of the caller. */
  public AllocationStack() {
    super(null, null, /* enableSuppression= */ false, /* writableStackTrace= */ true);
  }

  private static String caller() {
    List<StackTraceElement> frames = new AllocationStack().frames();
    return frames.isEmpty() ? "" : frames.getFirst().toString();
  }

  @Override
  public List<StackTraceElement> frames() {
    StackTraceElement[] all = getStackTrace();
    int first = 0;
    while (first < all.length - 1 && isOwn(all[first].getClassName())) {
      first++;
    }
    return List.of(
        Arrays.copyOfRange(all, first, (int) Math.min(all.length, (long) first + MAX_FRAMES)));
  }

  /** Whether the frames of those who called Weir begin in a pipeline's own code. */
  static boolean isPipelines(List<StackTraceElement> frames) {
    return !frames.isEmpty()
        && PIPELINE_PACKAGES.stream().anyMatch(frames.getFirst().getClassName()::startsWith);
  }

  private static boolean isOwn(String className) {
    String withDot = className + ".";
    return OWN_CLASSES.contains(className) || OWN_PACKAGES.stream().anyMatch(withDot::startsWith);
  }
}
