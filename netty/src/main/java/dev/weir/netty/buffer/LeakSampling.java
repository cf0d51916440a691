package dev.weir.netty.buffer;

import dev.weir.memory.heap.OwnedHeap;
import io.netty.buffer.ByteBuf;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import io.netty.util.internal.SystemPropertyUtil;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Which buffers Netty's leak detector watches. Its levels, its interval, its reports; only the draw
 * of the sample is Weir's: where a thread has a heap of its own, a countdown to the next one takes
 * the place of a random number for each buffer.
 */
final class LeakSampling {
  /** Netty's own setting: one buffer in so many. */
  private static final int INTERVAL =
      Math.max(1, SystemPropertyUtil.getInt("io.netty.leakDetection.samplingInterval", 128));

  /** Called with few frames above whoever asks for a buffer: it takes a stack trace. */
  static final ResourceLeakDetector<ByteBuf> DETECTOR =
      ResourceLeakDetectorFactory.instance().newResourceLeakDetector(ByteBuf.class);

  /** Whether the sample is drawn here: a detector with a {@code track} of its own draws itself. */
  static final boolean IS_WEIRS = !drawsItself(DETECTOR.getClass());

  private LeakSampling() {}

  private static boolean drawsItself(Class<?> detector) {
    try {
      return detector.getMethod("track", Object.class).getDeclaringClass()
          != ResourceLeakDetector.class;
    } catch (NoSuchMethodException e) {
      // In a native image that keeps no such knowledge of it.
      return false;
    }
  }

  /** Draws whether the next buffer is to be watched at level {@code SIMPLE}. */
  static boolean drawNext(@Nullable OwnedHeap heap) {
    return heap != null
        ? heap.drawSample(INTERVAL)
        : ThreadLocalRandom.current().nextInt(INTERVAL) == 0;
  }
}
