package dev.weir.netty.buffer;

import dev.weir.memory.heap.BlockContainer;
import dev.weir.memory.heap.BlockFactory;
import io.netty.buffer.ByteBuf;
import io.netty.util.IllegalReferenceCountException;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakTracker;
import org.jspecify.annotations.Nullable;

/**
 * A detached buffer that Netty's leak detector watches: it is reported if it is lost before its
 * last release. For the detector's level {@code SIMPLE}, at which nothing is recorded but the
 * allocation and the last release, of which a second one tells.
 */
public final class LeakTrackedByteBuf extends WeirByteBuf implements LeakTracked {
  /** A new buffer, not watched yet. */
  static final BlockFactory<LeakTrackedByteBuf> FACTORY =
      (home, number, found) -> new LeakTrackedByteBuf(home, number);

  private @Nullable ResourceLeakTracker<ByteBuf> tracker;

  private LeakTrackedByteBuf(BlockContainer home, int number) {
    super(home, number);
  }

  @Override
  public void beWatchedBy(ResourceLeakDetector<ByteBuf> detector) {
    tracker = detector.trackForcibly(this);
  }

  // Here rather than in deallocate(): the detector takes a stack trace, which costs by its frames.

  @Override
  public boolean release() {
    try {
      return LeakTracked.told(super.release(), this, tracker);
    } catch (IllegalReferenceCountException e) {
      throw LeakTracked.tellingOfEnd(e, tracker);
    }
  }

  @Override
  public boolean release(int decrement) {
    try {
      return LeakTracked.told(super.release(decrement), this, tracker);
    } catch (IllegalReferenceCountException e) {
      throw LeakTracked.tellingOfEnd(e, tracker);
    }
  }

  @Override
  public ByteBuf retain() {
    try {
      return super.retain();
    } catch (IllegalReferenceCountException e) {
      throw LeakTracked.tellingOfEnd(e, tracker);
    }
  }

  @Override
  public ByteBuf retain(int increment) {
    try {
      return super.retain(increment);
    } catch (IllegalReferenceCountException e) {
      throw LeakTracked.tellingOfEnd(e, tracker);
    }
  }
}
