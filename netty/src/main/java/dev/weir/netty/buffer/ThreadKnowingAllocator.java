package dev.weir.netty.buffer;

import dev.weir.memory.Pool;
import dev.weir.memory.array.ArrayHeap;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.heap.SharedHeap.Stripe;
import java.lang.ref.WeakReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An allocator that knows what its threads allocate from: the first four event loops that come, and
 * the first two plain threads towards which the stripe at which they begin leans, have places of
 * their own in it; all others are asked each time. An event loop leaves its place when it ends, and
 * another may take it; that of a plain thread is free once that has ended, and is looked for again
 * when there is a new event loop, and by {@code trim}.
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
  /** So many buffers of threads without heap and place are followed by a look for a place. */
  private static final int LOOKS = 10_000;

  private final Pool pool;
  private final ThreadHeaps heaps;
  private final ThreadArrays arrayHeaps;

  private @Nullable Thread loop0;
  private @Nullable OwnedHeap heap0;
  private @Nullable Thread loop1;
  private @Nullable OwnedHeap heap1;
  private @Nullable Thread loop2;
  private @Nullable OwnedHeap heap2;
  private @Nullable Thread loop3;
  private @Nullable OwnedHeap heap3;

  /** Whether one of these may be free: not so if a thread that has come since has found none. */
  private boolean mayHavePlace = true;

  // Ids, which are never used again, so that nobody is kept reachable: such a thread does not say
  // that it ends.
  private long plain0;
  private @Nullable Stripe stripe0;
  private @Nullable WeakReference<Thread> thread0;
  private long plain1;
  private @Nullable Stripe stripe1;
  private @Nullable WeakReference<Thread> thread1;

  /** A lost count is a look more. */
  private int looksLeft = LOOKS;

  /**
   * Buffers of {@code pool}, charged to its root budget.
   *
   * @param preferDirect whether the {@code buffer()} methods give direct buffers
   */
  @SuppressWarnings("this-escape") // Told of ends of threads, later.
  protected ThreadKnowingAllocator(Pool pool, boolean preferDirect) {
    Budget root = pool.rootBudget();
    super(pool, root, preferDirect);
    this.pool = pool;
    this.heaps = new ThreadHeaps(pool, this);
    this.arrayHeaps = new ThreadArrays(pool.arrays());
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

  @Override
  final @Nullable ArrayHeap arrayHeap() {
    return arrayHeaps.current();
  }

  /** A place for the caller, if one is free. */
  final void takePlace(Thread thread, OwnedHeap heap) {
    synchronized (heaps) {
      if (isFree(loop0)) {
        loop0 = thread;
        heap0 = heap;
      } else if (isFree(loop1)) {
        loop1 = thread;
        heap1 = heap;
      } else if (isFree(loop2)) {
        loop2 = thread;
        heap2 = heap;
      } else if (isFree(loop3)) {
        loop3 = thread;
        heap3 = heap;
      } else {
        mayHavePlace = false;
      }
    }
  }

  /** There is a new heap: somebody may have ended, and not left. */
  final void threadHasCome() {
    mayHavePlace = true;
    lookForThreads();
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

  /*
   * So often and not for ever, since a thread that has no place comes here with each of its buffers: it leans or not, and
   * may find no place. A stripe leans after some hundred buffers of one thread.
   */
  @Override
  final void lookForStripe() {
    if (looksLeft > 0) {
      looksLeft--;
      lookForStripe(Thread.currentThread());
    }
  }

  /** Plain threads may have ended, or come, since they were last looked for. */
  protected final void lookForThreads() {
    looksLeft = LOOKS;
  }

  private void lookForStripe(Thread thread) {
    long id = thread.threadId();
    if (id != plain0
        && id != plain1
        && !thread.isVirtual()
        && (isFree(thread0) || isFree(thread1))) {
      Stripe leaning = pool.leaningStripe();
      if (leaning != null) {
        takePlace(thread, leaning);
      }
    }
  }

  /** A place for the caller, if one is free. */
  private void takePlace(Thread thread, Stripe stripe) {
    WeakReference<Thread> reference;
    try {
      reference = new WeakReference<>(thread);
    } catch (OutOfMemoryError javaHeapFull) {
      return; // A place is a convenience.
    }
    synchronized (heaps) {
      if (isFree(thread0)) {
        thread0 = reference;
        stripe0 = stripe;
        plain0 = thread.threadId();
      } else if (isFree(thread1)) {
        thread1 = reference;
        stripe1 = stripe;
        plain1 = thread.threadId();
      }
    }
  }

  private static boolean isFree(@Nullable WeakReference<Thread> place) {
    return place == null || isFree(place.get());
  }

  /** Whether a place is nobody's any more: a thread that has ended never comes back. */
  private static boolean isFree(@Nullable Thread thread) {
    return thread == null || !thread.isAlive();
  }

  /** How many event loops have places, of those that have not ended. */
  final int knownLoops() {
    synchronized (heaps) {
      return (int) Stream.of(loop0, loop1, loop2, loop3).filter(loop -> !isFree(loop)).count();
    }
  }

  /**
   * Hands over the slabs of the calling thread's heaps, if it has any. Its next allocation makes
   * another.
   */
  protected final void closeCurrentHeap() {
    heaps.closeCurrent();
    arrayHeaps.remove();
  }
}
