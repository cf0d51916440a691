package dev.weir.memory.array;

import dev.weir.memory.sync.SpinLock;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The byte arrays behind the heap buffers of one pool, within one limit. The limit counts arrays,
 * with the slots in them that are free; before a request is refused, the arrays that are empty are
 * dropped, those that have been kept longest first.
 *
 * <p>A request above 64 KiB gets an array of its own. One of up to 64 KiB gets a slot; at the
 * limit, where there is no room for an array of several, an array of its own too. Contents are
 * whatever the last user left. Thread-safe.
 */
/*
 * Order of locks: a heap's, then this pool's. Whoever looks through several heaps has one lock at a time.
 */
public final class ArrayPool {
  /** Empty arrays may be as many as a third of those held, and at least 2 MiB. */
  private static final long MIN_CACHED_BYTES = 2L << 20;

  private static final int CACHED_SHARE = 3;

  private final LongSupplier limitBytes;
  private final Runnable whenFirstHeld;
  private final ArraySlab none = new ArraySlab(this, /* sizeClass= */ 0, 0, /* slots= */ 0);
  private final ArrayStripes stripes;

  /** All heaps, the stripes too. A heap whose thread has ended stays, for the next thread. */
  private final Set<ArrayHeap> heaps = ConcurrentHashMap.newKeySet();

  private final Queue<ArrayHeap> abandoned = new ConcurrentLinkedQueue<>();

  private final SpinLock lock = SpinLock.innermost();

  // Under the lock.

  private final ArrayCache cache = new ArrayCache();

  /** Of all arrays that are kept when they are empty, linked by {@code nextOfAll}. */
  private @Nullable ArraySlab firstOfAll;

  private long heldBytes;

  /** The part of it that is not in that list: arrays of one buffer each. */
  private long notKeptBytes;

  private boolean begun;
  private boolean closed;

  /**
   * A pool without arrays.
   *
   * @param limitBytes what may be held; asked outside of the pool's locks
   * @param minStripes how many heaps are shared by threads that have none of their own
   * @param whenFirstHeld runs before the first array is made: {@link #dropIdle} is due from now on
   */
  public ArrayPool(LongSupplier limitBytes, int minStripes, Runnable whenFirstHeld) {
    this.limitBytes = limitBytes;
    this.whenFirstHeld = whenFirstHeld;
    this.stripes = new ArrayStripes(minStripes, this, none);
    heaps.addAll(Set.of(stripes.all()));
  }

  /**
   * A heap for the calling thread: one that another has abandoned, with its arrays, or a new one.
   */
  public ArrayHeap ownedHeap() {
    ArrayHeap heap = abandoned.poll();
    if (heap == null) {
      heap = new ArrayHeap(this, none);
      heaps.add(heap);
    }
    heap.ownedBy(Thread.currentThread());
    return heap;
  }

  /** Gives a heap up. Its thread only, which allocates from it no more. */
  public void abandon(ArrayHeap heap) {
    heap.ownedBy(null);
    heap.trim();
    abandoned.add(heap);
  }

  /**
   * Takes a slot, or an array, of at least so many bytes.
   *
   * @param heap the calling thread's own, or null
   * @return null if the limit has no room
   * @throws OutOfMemoryError if the Java heap has no room for an array
   */
  public <T> @Nullable T tryAllocate(@Nullable ArrayHeap heap, int bytes, ArrayFactory<T> factory) {
    if (bytes > ArrayClasses.MAX_SLOT_BYTES) {
      return tryAllocateArray(bytes, factory);
    }
    int sizeClass = ArrayClasses.classOf(bytes);
    ArrayHeap from = locked(heap);
    long presentBytes;
    try {
      T object = from.tryTake(sizeClass, factory);
      if (object != null) {
        return object;
      }
      presentBytes = from.presentBytes(sizeClass);
    } finally {
      from.lock.unlock();
    }
    return tryAllocateFromNew(heap, sizeClass, presentBytes, factory);
  }

  private ArrayHeap locked(@Nullable ArrayHeap heap) {
    if (heap == null) {
      return stripes.lockAny();
    }
    if (!heap.lock.tryLock()) {
      heap.lock.lock();
    }
    return heap;
  }

  private <T> @Nullable T tryAllocateFromNew(
      @Nullable ArrayHeap heap, int sizeClass, long presentBytes, ArrayFactory<T> factory) {
    ArraySlab slab = tryTakeKept(sizeClass, presentBytes);
    if (slab == null) {
      return tryAllocateNotKept(ArrayClasses.slotBytes(sizeClass), factory);
    }
    ArrayHeap into = locked(heap);
    try {
      into.add(slab);
      return into.tryTake(sizeClass, factory);
    } finally {
      into.lock.unlock();
    }
  }

  private <T> @Nullable T tryAllocateArray(int bytes, ArrayFactory<T> factory) {
    if (bytes > ArrayClasses.MAX_KEPT_BYTES) {
      return tryAllocateNotKept(bytes, factory);
    }
    ArraySlab slab = tryTakeKept(ArrayClasses.classOf(bytes), /* presentBytes= */ 0);
    return slab == null ? null : create(slab, factory);
  }

  private <T> @Nullable T tryAllocateNotKept(int bytes, ArrayFactory<T> factory) {
    ArraySlab slab = tryMake(ArrayClasses.NOT_KEPT, bytes, /* slots= */ 1);
    return slab == null ? null : create(slab, factory);
  }

  /** Takes the only slot of an array that is in no heap. */
  private static <T> T create(ArraySlab slab, ArrayFactory<T> factory) {
    int number = slab.pop();
    return factory.create(slab, number, slab.cached(number));
  }

  private @Nullable ArraySlab tryTakeKept(int sizeClass, long presentBytes) {
    ArraySlab kept;
    lock.lock();
    try {
      kept = cache.take(sizeClass);
    } finally {
      lock.unlock();
    }
    return kept != null
        ? kept
        : tryMake(
            sizeClass,
            ArrayClasses.slotBytes(sizeClass),
            ArrayClasses.slots(sizeClass, presentBytes));
  }

  private @Nullable ArraySlab tryMake(int sizeClass, int slotBytes, int slots) {
    boolean isKept = sizeClass != ArrayClasses.NOT_KEPT;
    long bytes = (long) slotBytes * slots;
    if (!tryHold(bytes, isKept)) {
      return null;
    }
    boolean made = false;
    try {
      ArraySlab slab = new ArraySlab(this, sizeClass, slotBytes, slots);
      made = true;
      if (isKept) {
        list(slab);
      }
      return slab;
    } finally {
      if (!made) {
        lock.lock();
        unhold(bytes, isKept);
        lock.unlock();
      }
    }
  }

  private void list(ArraySlab slab) {
    lock.lock();
    try {
      ArraySlab second = firstOfAll;
      slab.nextOfAll = second;
      if (second != null) {
        second.previousOfAll = slab;
      }
      firstOfAll = slab;
    } finally {
      lock.unlock();
    }
  }

  private void unlist(ArraySlab slab) {
    ArraySlab before = slab.previousOfAll;
    ArraySlab after = slab.nextOfAll;
    if (before == null) {
      firstOfAll = after;
    } else {
      before.nextOfAll = after;
    }
    if (after != null) {
      after.previousOfAll = before;
    }
    slab.previousOfAll = null;
    slab.nextOfAll = null;
  }

  /** Counts an array that is about to be made, in place of empty ones if need be. */
  private boolean tryHold(long bytes, boolean isKept) {
    if (tryCount(bytes, isKept)) {
      return true;
    }
    heaps.forEach(ArrayHeap::trim);
    return tryCount(bytes, isKept);
  }

  private boolean tryCount(long bytes, boolean isKept) {
    long limit = limitBytes.getAsLong();
    boolean first;
    lock.lock();
    try {
      while (bytes > limit - heldBytes && cache.bytes() > 0) {
        drop(cache.takeOldest());
      }
      if (bytes > limit - heldBytes) {
        return false;
      }
      heldBytes += bytes;
      notKeptBytes += isKept ? 0 : bytes;
      first = !begun;
      begun = true;
    } finally {
      lock.unlock();
    }
    if (first) {
      whenFirstHeld.run();
    }
    return true;
  }

  private void unhold(long bytes, boolean isKept) {
    heldBytes -= bytes;
    notKeptBytes -= isKept ? 0 : bytes;
  }

  /** Takes an empty array that is in no heap any more. Any thread. */
  void giveBack(ArraySlab slab) {
    boolean isKept = slab.sizeClass != ArrayClasses.NOT_KEPT;
    lock.lock();
    try {
      if (!isKept) {
        unhold(slab.arrayBytes(), /* isKept= */ false);
        return;
      }
      cache.add(slab, System.nanoTime());
      long maxBytes = closed ? 0 : Math.max(MIN_CACHED_BYTES, heldBytes / CACHED_SHARE);
      while (cache.bytes() > maxBytes) {
        drop(cache.takeOldest());
      }
    } finally {
      lock.unlock();
    }
  }

  private void drop(@Nullable ArraySlab slab) {
    if (slab != null) {
      unlist(slab);
      unhold(slab.arrayBytes(), /* isKept= */ true);
    }
  }

  /**
   * Takes empty arrays from heaps that have not been used since the last call, and drops those that
   * have been kept since before then. The pool's purger only.
   */
  public void dropIdle(long beforeNanos) {
    heaps.forEach(ArrayHeap::trimIfIdle);
    lock.lock();
    try {
      ArraySlab old = cache.takeOldest(beforeNanos);
      while (old != null) {
        drop(old);
        old = cache.takeOldest(beforeNanos);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Drops every empty array. Any thread. */
  public void trim() {
    heaps.forEach(ArrayHeap::trim);
    dropCached(/* closes= */ false);
  }

  /** The same, and no array is kept from now on. Buffers stay valid. */
  public void close() {
    dropCached(/* closes= */ true);
    trim();
  }

  private void dropCached(boolean closes) {
    lock.lock();
    try {
      closed |= closes;
      while (cache.bytes() > 0) {
        drop(cache.takeOldest());
      }
    } finally {
      lock.unlock();
    }
  }

  /** The bytes of slots and arrays in use: exact while nobody allocates or releases. */
  public long liveBytes() {
    lock.lock();
    try {
      long bytes = notKeptBytes;
      for (ArraySlab slab = firstOfAll; slab != null; slab = slab.nextOfAll) {
        bytes += slab.liveBytes();
      }
      return bytes;
    } finally {
      lock.unlock();
    }
  }

  /** The bytes of all arrays, empty ones too: what the limit limits. */
  public long heldBytes() {
    lock.lock();
    try {
      return heldBytes;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Evaluates the invariants. Only when no thread allocates or releases meanwhile.
   *
   * @throws AssertionError where one does not hold
   */
  public void checkInvariants() {
    heaps.forEach(ArrayHeap::checkInvariants);
    lock.lock();
    try {
      long bytes = 0;
      for (ArraySlab slab = firstOfAll; slab != null; slab = slab.nextOfAll) {
        bytes += slab.arrayBytes();
      }
      if (bytes + notKeptBytes != heldBytes || cache.bytes() > heldBytes) {
        throw new AssertionError(
            "%d B of arrays, %d B not kept, %d B cached, held %d"
                .formatted(bytes, notKeptBytes, cache.bytes(), heldBytes));
      }
    } finally {
      lock.unlock();
    }
  }
}
