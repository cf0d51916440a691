package dev.weir.netty.buffer;

import dev.weir.memory.array.ArrayFactory;
import dev.weir.memory.array.ArraySlab;
import io.netty.buffer.ByteBuf;
import io.netty.util.IllegalReferenceCountException;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakTracker;
import org.jspecify.annotations.Nullable;

/** What {@link LeakTrackedByteBuf} is of direct buffers, of heap buffers. */
final class LeakTrackedHeapByteBuf extends WeirHeapByteBuf implements LeakTracked {
  /** A new buffer, not watched yet. */
  static final ArrayFactory<LeakTrackedHeapByteBuf> FACTORY =
      (home, number, found) -> new LeakTrackedHeapByteBuf(home, number);

  private @Nullable ResourceLeakTracker<ByteBuf> tracker;

  private LeakTrackedHeapByteBuf(ArraySlab home, int number) {
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
