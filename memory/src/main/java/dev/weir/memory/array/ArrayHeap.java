package dev.weir.memory.array;

import dev.weir.memory.sync.BiasedLock;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The arrays that one thread allocates from: an event loop's heap, or a stripe that other threads
 * share. Its lock leans towards the thread that uses it, which then pays no atomic; others take it
 * over for moments to find what is empty. Slots may be freed by any thread.
 */
/*
 * Life cycle of a slab within a heap.
 *
 *                refill                exhausted                 a slot is freed
 *   AVAILABLE ------------> CURRENT --------------> FULL (in no list) ------------> AVAILABLE
 *
 * An available slab that becomes empty stays while there are few of them, and goes back to the pool otherwise.
 */
public final class ArrayHeap {
  /**
   * Empty arrays that a heap keeps beside those it allocates from next: 1 MiB, so that a user whose
   * buffers fill an array each does not come to the pool with every one.
   */
  private static final int MAX_EMPTY_BYTES = 1 << 20;

  private static final VarHandle OPERATIONS;

  static {
    try {
      OPERATIONS = MethodHandles.lookup().findVarHandle(ArrayHeap.class, "operations", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final ArrayPool pool;
  private final ArraySlab none;
  final BiasedLock lock = new BiasedLock();

  /**
   * Whose it is; null for a stripe, and after its thread has ended. A thread finds its own name
   * here only if it has the heap; what others find decides only how they give a slot back.
   */
  private @Nullable Thread owner;

  /** The slabs that others have freed slots of, on their way here. */
  private final AtomicReference<@Nullable ArraySlab> arrivals = new AtomicReference<>();

  // Under the lock.

  private final ArraySlab[] current = new ArraySlab[ArrayClasses.SLOT_CLASSES];
  private final SlabList[] available = new SlabList[ArrayClasses.SLOT_CLASSES];

  /** The arrays of each class, full ones too. */
  private final long[] presentBytes = new long[ArrayClasses.SLOT_CLASSES];

  /** The arrays in {@link #available} that are empty. */
  private int emptyBytes;

  /** Allocations and releases; wraps. */
  private int operations;

  // The purger's.

  private int operationsSeen;
  private int operationsTrimmed;

  /**
   * A heap without arrays.
   *
   * @param none a slab without slots, which stands where there is none
   */
  ArrayHeap(ArrayPool pool, ArraySlab none) {
    this.pool = pool;
    this.none = none;
    Arrays.fill(current, none);
    Arrays.setAll(available, sizeClass -> new SlabList());
  }

  /** Names its thread: that thread itself, or null as it ends. */
  void ownedBy(@Nullable Thread thread) {
    owner = thread;
  }

  /** Takes a slot; null if all its arrays of the class are full. Under the lock. */
  <T> @Nullable T tryTake(int sizeClass, ArrayFactory<T> factory) {
    ArraySlab slab = current[sizeClass];
    int number = slab.pop();
    if (number == ArraySlab.NONE_FREE) {
      slab = refill(sizeClass);
      number = slab.pop();
      if (number == ArraySlab.NONE_FREE) {
        return null;
      }
    }
    OPERATIONS.setOpaque(this, operations + 1);
    return factory.create(slab, number, slab.cached(number));
  }

  private ArraySlab refill(int sizeClass) {
    drain();
    ArraySlab slab = current[sizeClass];
    ArraySlab first = available[sizeClass].first();
    if (slab.freeCount() > 0 || first == null) {
      return slab;
    }
    available[sizeClass].remove(first);
    if (first.isEmpty()) {
      emptyBytes -= first.arrayBytes();
    }
    current[sizeClass] = first;
    return first;
  }

  /** Allocates from a new slab, or one that was kept, from now on. Under the lock. */
  void add(ArraySlab slab) {
    slab.adoptedBy(this);
    presentBytes[slab.sizeClass] += slab.arrayBytes();
    ArraySlab before = current[slab.sizeClass];
    current[slab.sizeClass] = slab;
    if (before.freeCount() > 0) {
      available[slab.sizeClass].addFirst(before);
      noteIfEmpty(before);
    }
  }

  /** The bytes of its arrays of a class. Under the lock. */
  long presentBytes(int sizeClass) {
    return presentBytes[sizeClass];
  }

  /** Gives a slot of this heap back. Any thread. */
  @SuppressWarnings("ReferenceEquality") // a thread is its identity
  void free(ArraySlab slab, int number) {
    Thread whose = owner;
    // A stripe's lock is for anyone. That of an owner would cease to lean towards it.
    if ((whose == null || whose == Thread.currentThread()) && lock.tryLock()) {
      try {
        freeLocally(slab, number);
        OPERATIONS.setOpaque(this, operations + 1);
      } finally {
        lock.unlock();
      }
    } else if (slab.pushRemote(number)) {
      send(slab);
    }
  }

  private void send(ArraySlab slab) {
    ArraySlab below;
    do {
      below = arrivals.getAcquire();
      slab.nextArrival = below;
    } while (!arrivals.compareAndSet(below, slab));
  }

  @SuppressWarnings("ReferenceEquality") // a slab is its identity
  private void freeLocally(ArraySlab slab, int number) {
    slab.push(number);
    if (slab != current[slab.sizeClass]) {
      if (slab.freeCount() == 1) {
        available[slab.sizeClass].addLast(slab);
      }
      noteIfEmpty(slab);
    }
  }

  /** Looks at an available slab whose free slots have become more. */
  private void noteIfEmpty(ArraySlab slab) {
    if (slab.isEmpty()) {
      if (emptyBytes + slab.arrayBytes() <= MAX_EMPTY_BYTES) {
        emptyBytes += slab.arrayBytes();
      } else {
        available[slab.sizeClass].remove(slab);
        giveBack(slab);
      }
    }
  }

  private void giveBack(ArraySlab slab) {
    presentBytes[slab.sizeClass] -= slab.arrayBytes();
    slab.adoptedBy(null);
    pool.giveBack(slab);
  }

  private void drain() {
    if (arrivals.getOpaque() == null) {
      return;
    }
    ArraySlab slab = arrivals.getAndSet(null);
    while (slab != null) {
      // Both are read before the slab may be sent again, or be another's.
      ArraySlab after = slab.nextArrival;
      slab.nextArrival = null;
      int code = slab.takeRemote();
      while (code != 0) {
        int below = slab.below(code);
        freeLocally(slab, code - 1);
        code = below;
      }
      slab = after;
    }
  }

  /** Gives every empty array back to the pool. Any thread, which has no other lock. */
  void trim() {
    lock.lock();
    try {
      drain();
      for (int sizeClass = 0; sizeClass < current.length; sizeClass++) {
        trim(sizeClass);
      }
      operationsTrimmed = operations;
    } finally {
      lock.unlock();
    }
  }

  private void trim(int sizeClass) {
    ArraySlab slab = available[sizeClass].first();
    while (slab != null) {
      ArraySlab after = slab.next;
      if (slab.isEmpty()) {
        emptyBytes -= slab.arrayBytes();
        available[sizeClass].remove(slab);
        giveBack(slab);
      }
      slab = after;
    }
    ArraySlab last = current[sizeClass];
    if (last.slots() > 0 && last.isEmpty()) {
      current[sizeClass] = none;
      giveBack(last);
    }
  }

  /** The same if nobody has used the heap since the last call. The purger only. */
  void trimIfIdle() {
    int seen = (int) OPERATIONS.getOpaque(this);
    boolean idle = seen == operationsSeen;
    operationsSeen = seen;
    if (idle && (seen != operationsTrimmed || arrivals.getOpaque() != null)) {
      trim();
    }
  }

  /** Evaluates what the fields say of each other. */
  void checkInvariants() {
    lock.lock();
    try {
      int empty = 0;
      for (SlabList list : available) {
        for (ArraySlab slab = list.first(); slab != null; slab = slab.next) {
          if (slab.heap() != this || slab.freeCount() == 0) {
            throw new AssertionError("a slab is listed that is full or another heap's");
          }
          empty += slab.isEmpty() ? slab.arrayBytes() : 0;
        }
      }
      if (empty != emptyBytes) {
        throw new AssertionError("%d B empty, counted %d".formatted(empty, emptyBytes));
      }
    } finally {
      lock.unlock();
    }
  }
}
