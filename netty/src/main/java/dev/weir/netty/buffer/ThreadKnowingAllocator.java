package dev.weir.netty.buffer;

import dev.weir.memory.Pool;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.heap.SharedHeap.Stripe;
import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;

/**
 * An allocator that knows what its threads allocate from: the first four event loops that come, and
 * the first two plain threads towards which the stripe at which they begin leans, have places of
 * their own in it; all others are asked each time. An event loop leaves its place when it ends, and
 * another may take it; that of a plain thread is free once that has ended.
 */
/*
 * To ask a thread is a chain of loads, each of which waits for the one before: the thread, its map of locals, the map's
 * array, the heap; or the pool, its core, the shared heap, the stripes, one of them. Whether a thread is one that has a
 * place is foreseen by the processor, which goes on with the heap or the stripe at once. So the places are fields of the
 * allocator: an object for them would be one more load of that kind.
 *
 * Places are taken and left under the monitor of `heaps`, and read without it. What a thread finds in its own it has
 * written there itself: the place of a thread that is alive is left by nobody else. If others could empty it, a thread
 * that has just found itself there might go on with the heap of the next one.
 */
public abstract class ThreadKnowingAllocator extends BudgetedAllocator {
  private final Pool pool;
  private final ThreadHeaps heaps;

  private @Nullable Thread loop0;
  private @Nullable OwnedHeap heap0;
  private @Nullable Thread loop1;
  private @Nullable OwnedHeap heap1;
  private @Nullable Thread loop2;
  private @Nullable OwnedHeap heap2;
  private @Nullable Thread loop3;
  private @Nullable OwnedHeap heap3;

  /** Whether one of these may be free. */
  private boolean mayHavePlace = true;

  // Ids, which are never used again, so that nobody is kept reachable: such a thread does not say
  // that it ends.
  private long plain0;
  private @Nullable Stripe stripe0;
  private @Nullable WeakReference<Thread> thread0;
  private long plain1;
  private @Nullable Stripe stripe1;
  private @Nullable WeakReference<Thread> thread1;

  /**
   * Buffers of {@code pool}, charged to its root budget.
   *
   * @param preferDirect whether the {@code buffer()} methods give direct buffers
   */
  @SuppressWarnings("this-escape") // Told of ends of threads, later.
  protected ThreadKnowingAllocator(Pool pool, HeapArrays heapArrays, boolean preferDirect) {
    Budget root = pool.rootBudget();
    super(pool, heapArrays, root, preferDirect);
    this.pool = pool;
    this.heaps = new ThreadHeaps(pool, this::leavePlace);
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // a thread is its identity
  final @Nullable OwnedHeap heap() {
    Thread thread = Thread.currentThread();
    if (thread == loop0) {
      return heap0;
    }
    if (thread == loop1) {
      return heap1;
    }
    if (thread == loop2) {
      return heap2;
    }
    if (thread == loop3) {
      return heap3;
    }
    OwnedHeap heap = heaps.current();
    if (heap != null && mayHavePlace) {
      takePlace(thread, heap);
    }
    return heap;
  }

  /** A place for the caller, if one is free. */
  final void takePlace(Thread thread, OwnedHeap heap) {
    synchronized (heaps) {
      if (loop0 == null) {
        loop0 = thread;
        heap0 = heap;
      } else if (loop1 == null) {
        loop1 = thread;
        heap1 = heap;
      } else if (loop2 == null) {
        loop2 = thread;
        heap2 = heap;
      } else if (loop3 == null) {
        loop3 = thread;
        heap3 = heap;
      } else {
        mayHavePlace = false;
      }
    }
  }

  /** The caller's own place. */
  @SuppressWarnings("ReferenceEquality") // a thread is its identity
  final void leavePlace() {
    synchronized (heaps) {
      Thread thread = Thread.currentThread();
      if (thread == loop0) {
        loop0 = null;
        heap0 = null;
      } else if (thread == loop1) {
        loop1 = null;
        heap1 = null;
      } else if (thread == loop2) {
        loop2 = null;
        heap2 = null;
      } else if (thread == loop3) {
        loop3 = null;
        heap3 = null;
      } else {
        return;
      }
      mayHavePlace = true;
    }
  }

  @Override
  final @Nullable Stripe stripe() {
    long id = Thread.currentThread().threadId();
    return id == plain0 ? stripe0 : id == plain1 ? stripe1 : null;
  }

  @Override
  final void lookForStripe() {
    Thread thread = Thread.currentThread();
    if (thread.isVirtual()) {
      return;
    }
    long id = thread.threadId();
    if (id == plain0 || id == plain1 || isFree(thread0) || isFree(thread1)) {
      Stripe leaning = pool.leaningStripe();
      if (leaning != null && leaning != stripe()) {
        takePlace(thread, leaning);
      }
    }
  }

  private void takePlace(Thread thread, Stripe stripe) {
    synchronized (heaps) {
      long id = thread.threadId();
      if (id == plain0 || (id != plain1 && isFree(thread0))) {
        thread0 = new WeakReference<>(thread);
        stripe0 = stripe;
        plain0 = id;
      } else if (id == plain1 || isFree(thread1)) {
        thread1 = new WeakReference<>(thread);
        stripe1 = stripe;
        plain1 = id;
      }
    }
  }

  private static boolean isFree(@Nullable WeakReference<Thread> place) {
    Thread thread = place == null ? null : place.get();
    return thread == null || !thread.isAlive();
  }

  /**
   * Hands over the slabs of the calling thread's heap, if it has one. Its next allocation makes
   * another.
   */
  protected final void closeCurrentHeap() {
    heaps.closeCurrent();
  }
}
