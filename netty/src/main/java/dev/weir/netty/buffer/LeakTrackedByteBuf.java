package dev.weir.netty.buffer;

import dev.weir.memory.heap.BlockHome;
import dev.weir.memory.heap.Tenants;
import io.netty.buffer.ByteBuf;
import io.netty.util.ResourceLeakTracker;
import org.jspecify.annotations.Nullable;

/**
 * A detached buffer that Netty's leak detector watches: it is reported if it is lost before its
 * last release. For the detector's level {@code SIMPLE}, at which nothing is recorded but the
 * allocation.
 */
public final class LeakTrackedByteBuf extends WeirByteBuf {
  /** A new buffer, not watched yet. */
  static final Tenants<LeakTrackedByteBuf> TENANTS =
      (home, number, found) -> new LeakTrackedByteBuf(home, number);

  private @Nullable ResourceLeakTracker<ByteBuf> tracker;

  private LeakTrackedByteBuf(BlockHome home, int number) {
    super(home, number);
  }

  /** Begins to watch. */
  void watchedBy(@Nullable ResourceLeakTracker<ByteBuf> newTracker) {
    tracker = newTracker;
  }

  @Override
  protected void deallocate() {
    super.deallocate();
    if (tracker != null) {
      tracker.close(this);
    }
  }
}
