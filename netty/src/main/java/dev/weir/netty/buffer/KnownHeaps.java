package dev.weir.netty.buffer;

import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.heap.SharedHeap.Stripe;
import io.netty.buffer.AbstractByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * An allocator that remembers the heaps of the first four event loops which ask it for buffers, and
 * the stripes that lean towards the first two other threads, beside those threads. All others are
 * asked for theirs each time.
 */
/*
 * To ask a thread is a chain of loads, each of which waits for the one before: the thread, its map of locals, the map's
 * array, the heap; or the pool, its core, the shared heap, the stripes, one of them. Whether a thread is one that is
 * known is foreseen by the processor, which goes on with the heap or the stripe at once.
 *
 * A thread writes itself into the table, and what it finds beside itself it has written itself: the place of a thread that
 * is alive is nobody else's. So there is no order between the fields to be kept, and no reader needs a lock.
 */
abstract class KnownHeaps extends AbstractByteBufAllocator {
  private final ThreadHeaps heaps;

  private @Nullable Thread thread0;
  private @Nullable OwnedHeap heap0;
  private @Nullable Thread thread1;
  private @Nullable OwnedHeap heap1;
  private @Nullable Thread thread2;
  private @Nullable OwnedHeap heap2;
  private @Nullable Thread thread3;
  private @Nullable OwnedHeap heap3;

  private @Nullable Thread plain0;
  private @Nullable Stripe stripe0;
  private @Nullable Thread plain1;
  private @Nullable Stripe stripe1;

  KnownHeaps(ThreadHeaps heaps, boolean preferDirect) {
    super(preferDirect);
    this.heaps = heaps;
  }

  /**
   * The heap of the calling thread; null if it has none. It may have been closed, as any heap may
   * be: whoever finds that asks for {@link #heapAnew}.
   */
  @SuppressWarnings("ReferenceEquality") // a thread is its identity
  final @Nullable OwnedHeap heap() {
    Thread thread = Thread.currentThread();
    if (thread == thread0) {
      return heap0;
    }
    if (thread == thread1) {
      return heap1;
    }
    if (thread == thread2) {
      return heap2;
    }
    if (thread == thread3) {
      return heap3;
    }
    return heaps.current();
  }

  /**
   * The same where {@link #heap} has nothing ready: asks the thread if that heap has been closed,
   * and remembers what it says if there is a place.
   */
  final @Nullable OwnedHeap heapAnew(@Nullable OwnedHeap known) {
    if (known == null) {
      return null;
    }
    OwnedHeap heap = known.isClosed() ? heaps.current() : known;
    if (heap != null) {
      remember(Thread.currentThread(), heap);
    }
    return heap;
  }

  @SuppressWarnings("ReferenceEquality") // a thread is its identity
  private void remember(Thread thread, OwnedHeap heap) {
    if (thread == thread0) {
      heap0 = heap;
    } else if (thread == thread1) {
      heap1 = heap;
    } else if (thread == thread2) {
      heap2 = heap;
    } else if (thread == thread3) {
      heap3 = heap;
    } else if (isFree(thread0) || isFree(thread1) || isFree(thread2) || isFree(thread3)) {
      takePlace(thread, heap);
    }
  }

  private synchronized void takePlace(Thread thread, OwnedHeap heap) {
    if (isFree(thread0)) {
      thread0 = thread;
      heap0 = heap;
    } else if (isFree(thread1)) {
      thread1 = thread;
      heap1 = heap;
    } else if (isFree(thread2)) {
      thread2 = thread;
      heap2 = heap;
    } else if (isFree(thread3)) {
      thread3 = thread;
      heap3 = heap;
    }
  }

  /** The stripe that leans towards the calling thread, which has no heap; null if none is known. */
  @SuppressWarnings("ReferenceEquality") // a thread is its identity
  final @Nullable Stripe stripe() {
    Thread thread = Thread.currentThread();
    return thread == plain0 ? stripe0 : thread == plain1 ? stripe1 : null;
  }

  /** Looks whether there is one, where {@link #stripe} had nothing ready. */
  @SuppressWarnings("ReferenceEquality") // a thread is its identity
  final void rememberStripe() {
    Thread thread = Thread.currentThread();
    if (thread == plain0) {
      stripe0 = heaps.leaningStripe();
    } else if (thread == plain1) {
      stripe1 = heaps.leaningStripe();
    } else if ((isFree(plain0) || isFree(plain1)) && !thread.isVirtual()) {
      Stripe stripe = heaps.leaningStripe();
      if (stripe != null) {
        takePlace(thread, stripe);
      }
    }
  }

  private synchronized void takePlace(Thread thread, Stripe stripe) {
    if (isFree(plain0)) {
      plain0 = thread;
      stripe0 = stripe;
    } else if (isFree(plain1)) {
      plain1 = thread;
      stripe1 = stripe;
    }
  }

  /** Whether a place is nobody's any more: a thread that has ended never comes back. */
  private static boolean isFree(@Nullable Thread thread) {
    return thread == null || !thread.isAlive();
  }
}
