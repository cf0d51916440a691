package dev.weir.netty.buffer;

import dev.weir.memory.AllocatorSupport;
import dev.weir.memory.Pool;
import dev.weir.memory.array.ArrayHeap;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.heap.SharedHeap.Stripe;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An allocator that knows what its threads allocate from. Each thread has a place by its id: an
 * event loop for its heap, a plain thread for the stripe that leans towards it. Threads without a
 * place, because another one with a heap of its own has it, are asked each time.
 */
/*
 * To ask a thread is a chain of loads, each of which waits for the one before: the thread, its map of locals, the map's
 * array, the heap. A place is the thread's id, the array, the place, its heap. It is immutable, and a thread uses only one
 * that has its own id, which no other thread ever gets: so places are read and written without a lock, and a lost write
 * costs a look.
 */
public abstract class ThreadKnowingAllocator extends BudgetedAllocator {
  /** A power of two: event loops get ids in a row, so as many of them have places of their own. */
  private static final int PLACES = 64;

  /** So many buffers of threads without a place are followed by a look for one. */
  private static final int LOOKS = 10_000;

  private final AllocatorSupport support;
  private final ThreadHeaps heaps;
  private final ThreadArrays arrayHeaps;
  private final @Nullable Place[] places = new Place[PLACES];

  /** A lost count is a look more. */
  private int looksLeft = LOOKS;

  /**
   * A thread, known by its id and weakly, so that nobody is kept reachable, and what it allocates
   * from: one of the two.
   */
  private record Place(
      long threadId,
      WeakReference<Thread> thread,
      @Nullable OwnedHeap heap,
      @Nullable Stripe stripe) {
    boolean isFree() {
      Thread known = thread.get();
      return known == null || !known.isAlive();
    }
  }

  /**
   * Buffers of {@code pool}, charged to its root budget.
   *
   * @param preferDirect whether the {@code buffer()} methods give direct buffers
   */
  @SuppressWarnings("this-escape") // Told of ends of threads, later.
  protected ThreadKnowingAllocator(Pool pool, boolean preferDirect) {
    Budget root = pool.rootBudget();
    super(pool, root, preferDirect);
    this.support = AllocatorSupport.of(pool);
    this.heaps = new ThreadHeaps(support, this);
    this.arrayHeaps = new ThreadArrays(support.arrays());
  }

  private @Nullable Place own() {
    long id = Thread.currentThread().threadId();
    Place place = places[(int) id & (PLACES - 1)];
    return place != null && place.threadId == id ? place : null;
  }

  @Override
  final @Nullable OwnedHeap heap() {
    Place own = own();
    return own != null && own.heap != null ? own.heap : heapOfThread();
  }

  private @Nullable OwnedHeap heapOfThread() {
    OwnedHeap heap = heaps.current();
    if (heap != null && looksLeft > 0) {
      looksLeft--;
      takePlace(heap);
    }
    return heap;
  }

  @Override
  final @Nullable Stripe stripe() {
    Place own = own();
    return own == null ? null : own.stripe;
  }

  /*
   * So often and not for ever: a thread that has no place comes here with each of its buffers. A stripe leans after some
   * hundred buffers of one thread.
   */
  @Override
  final void lookForStripe() {
    if (looksLeft > 0 && !Thread.currentThread().isVirtual()) {
      looksLeft--;
      Stripe leaning = own() == null ? support.leaningStripe() : null;
      if (leaning != null) {
        takePlace(/* heap= */ null, leaning);
      }
    }
  }

  @Override
  final @Nullable ArrayHeap arrayHeap() {
    return arrayHeaps.current();
  }

  /** The caller's place, unless another event loop has it that is alive. */
  final void takePlace(OwnedHeap heap) {
    takePlace(heap, /* stripe= */ null);
  }

  private void takePlace(@Nullable OwnedHeap heap, @Nullable Stripe stripe) {
    Thread thread = Thread.currentThread();
    int index = (int) thread.threadId() & (PLACES - 1);
    Place before = places[index];
    // A heap goes before a stripe, which is nobody's own.
    if (before == null || before.isFree() || (heap != null && before.heap == null)) {
      places[index] = new Place(thread.threadId(), new WeakReference<>(thread), heap, stripe);
    }
  }

  /** The caller gives its heap up. */
  final void leavePlace() {
    if (own() != null) {
      places[(int) Thread.currentThread().threadId() & (PLACES - 1)] = null;
      looksLeft = LOOKS;
    }
  }

  /** Threads may have ended, or come, since places were last looked for. */
  protected final void lookForThreads() {
    looksLeft = LOOKS;
  }

  /** How many event loops have places, of those that have not ended. */
  final int knownLoops() {
    return (int)
        Arrays.stream(places)
            .filter(Objects::nonNull)
            .filter(place -> place.heap != null && !place.isFree())
            .count();
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
