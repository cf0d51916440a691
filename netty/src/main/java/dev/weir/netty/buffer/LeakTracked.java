package dev.weir.netty.buffer;

import io.netty.buffer.ByteBuf;
import io.netty.util.IllegalReferenceCountException;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakTracker;
import org.jspecify.annotations.Nullable;

/** A detached buffer that Netty's leak detector watches at its level {@code SIMPLE}. */
interface LeakTracked {
  /** Begins to watch. */
  void beWatchedBy(ResourceLeakDetector<ByteBuf> detector);

  /** The buffer that is to be watched in one of an allocator's; null if none is. */
  static @Nullable LeakTracked in(ByteBuf buffer) {
    ByteBuf memory = buffer instanceof HardenedByteBuf hardened ? hardened.memory() : buffer;
    return memory instanceof LeakTracked tracked ? tracked : null;
  }

  /** Tells the tracker of a release if that was the last; returns whether it was. */
  static boolean told(
      boolean last, ByteBuf buffer, @Nullable ResourceLeakTracker<ByteBuf> tracker) {
    if (last && tracker != null) {
      tracker.close(buffer);
    }
    return last;
  }

  /** Adds where the last release was, if the detector knows, as Netty's own buffers do. */
  static IllegalReferenceCountException tellingOfEnd(
      IllegalReferenceCountException e, @Nullable ResourceLeakTracker<ByteBuf> tracker) {
    Throwable end = tracker == null ? null : LastReleases.of(tracker);
    if (end != null) {
      e.addSuppressed(end);
    }
    return e;
  }
}
