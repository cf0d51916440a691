package dev.weir.netty.buffer;

import dev.weir.memory.heap.BlockHome;
import dev.weir.memory.heap.Tenants;
import io.netty.buffer.ByteBuf;
import io.netty.util.IllegalReferenceCountException;
import io.netty.util.ResourceLeakTracker;
import org.jspecify.annotations.Nullable;

/**
 * A detached buffer that Netty's leak detector watches: it is reported if it is lost before its
 * last release. For the detector's level {@code SIMPLE}, at which nothing is recorded but the
 * allocation and the last release, of which a second one tells.
 */
public final class LeakTrackedByteBuf extends WeirByteBuf {
  /** A new buffer, not watched yet. */
  static final Tenants<LeakTrackedByteBuf> TENANTS =
      (home, number, found) -> new LeakTrackedByteBuf(home, number);

  private @Nullable ResourceLeakTracker<ByteBuf> tracker;

  private LeakTrackedByteBuf(BlockHome home, int number) {
    super(home, number);
  }

  /** The buffer that is to be watched in one of a {@link BlockSource}; null if none is. */
  static @Nullable LeakTrackedByteBuf in(ByteBuf buffer) {
    ByteBuf memory = buffer instanceof HardenedByteBuf hardened ? hardened.memory() : buffer;
    return memory instanceof LeakTrackedByteBuf tracked ? tracked : null;
  }

  /** Begins to watch. */
  void watchedBy(@Nullable ResourceLeakTracker<ByteBuf> newTracker) {
    tracker = newTracker;
  }

  // Here rather than in deallocate(): the detector takes a stack trace, which costs by its frames.

  @Override
  public boolean release() {
    boolean last;
    try {
      last = super.release();
    } catch (IllegalReferenceCountException e) {
      throw tellingOfEnd(e);
    }
    if (last && tracker != null) {
      tracker.close(this);
    }
    return last;
  }

  @Override
  public boolean release(int decrement) {
    boolean last;
    try {
      last = super.release(decrement);
    } catch (IllegalReferenceCountException e) {
      throw tellingOfEnd(e);
    }
    if (last && tracker != null) {
      tracker.close(this);
    }
    return last;
  }

  @Override
  public ByteBuf retain() {
    try {
      return super.retain();
    } catch (IllegalReferenceCountException e) {
      throw tellingOfEnd(e);
    }
  }

  @Override
  public ByteBuf retain(int increment) {
    try {
      return super.retain(increment);
    } catch (IllegalReferenceCountException e) {
      throw tellingOfEnd(e);
    }
  }

  /** Adds where the last release was, if the detector knows, as Netty's own buffers do. */
  private IllegalReferenceCountException tellingOfEnd(IllegalReferenceCountException e) {
    Throwable end = tracker == null ? null : LastReleases.of(tracker);
    if (end != null) {
      e.addSuppressed(end);
    }
    return e;
  }
}
