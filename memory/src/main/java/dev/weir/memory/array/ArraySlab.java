package dev.weir.memory.array;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A byte array cut into equal slots of one size class.
 *
 * <p>Free slots are in one of two places: a stack that is its heap's, and a stack of those that
 * other threads have freed, which the heap takes over as a whole. A slot that lies there counts as
 * live until then. An array of one large buffer has one slot, and belongs to no heap.
 *
 * <pre>
 *   slots = live + freeLocal          live = buffers in use + freed by others
 * </pre>
 */
/*
 * The stack of others is the one of heap/RemoteSlots, without its mark: linked numbers, pushed with one compare-and-set
 * (Treiber, 1986). The push that finds it empty sends the slab to its heap's arrivals, and only from there is the stack
 * taken. So a slab whose arrival is under way has a live slot, and stays in its heap.
 */
public final class ArraySlab {
  /** From {@link #pop}: no slot is free. */
  static final int NONE_FREE = -1;

  private static final int EMPTY = 0;

  private static final VarHandle HEAD;
  private static final VarHandle FREE_COUNT;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      HEAD = lookup.findVarHandle(ArraySlab.class, "head", int.class);
      FREE_COUNT = lookup.findVarHandle(ArraySlab.class, "freeCount", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final ArrayPool pool;
  final int sizeClass;
  private final int slotBytes;
  private final byte[] array;

  // The heap's; of a slab that is in none, of whoever holds it.

  private final char[] free;
  private final @Nullable Object[] cached;
  private int freeCount;

  /** Neighbours in a {@link SlabList}; and since when it has been kept, if it is. */
  @Nullable ArraySlab previous;

  @Nullable ArraySlab next;
  long keptSinceNanos;

  // The pool's, under its lock: neighbours among all.

  @Nullable ArraySlab previousOfAll;
  @Nullable ArraySlab nextOfAll;

  // Everybody's.

  /** Whose it is; null if it is in no heap. Changes only while no slot is live. */
  private volatile @Nullable ArrayHeap heap;

  /** 0 if the stack is empty, n + 1 if slot n is on top; {@link #links} has what lies below. */
  @SuppressWarnings("unused") // through HEAD
  private int head;

  private final char[] links;
  @Nullable ArraySlab nextArrival;

  /** A new array, whose slots are all free. */
  ArraySlab(ArrayPool pool, int sizeClass, int slotBytes, int slots) {
    this.pool = pool;
    this.sizeClass = sizeClass;
    this.slotBytes = slotBytes;
    array = new byte[slotBytes * slots];
    cached = new Object[slots];
    links = new char[slots];
    free = new char[slots];
    for (int number = slots - 1; number >= 0; number--) {
      push(number);
    }
  }

  /** The array; only the slot's bytes in it are the user's. */
  public byte[] array() {
    return array;
  }

  /** Where in {@link #array} a slot begins. */
  public int offset(int number) {
    return number * slotBytes;
  }

  /** The bytes of each slot. */
  public int slotBytes() {
    return slotBytes;
  }

  /** Leaves an object at a slot, for its next user. Only while settling there. */
  public void leave(int number, Object object) {
    cached[number] = object;
  }

  /** Gives a slot back. Any thread; nothing of the slot may be used from this call on. */
  public void free(int number) {
    ArrayHeap home = heap;
    if (home == null) {
      push(number);
      pool.giveBack(this);
    } else {
      home.free(this, number);
    }
  }

  @Nullable ArrayHeap heap() {
    return heap;
  }

  void adoptedBy(@Nullable ArrayHeap newHeap) {
    heap = newHeap;
  }

  int slots() {
    return free.length;
  }

  int arrayBytes() {
    return array.length;
  }

  /** Takes a free slot, or {@link #NONE_FREE}. The heap only. */
  int pop() {
    int count = freeCount - 1;
    if (count < 0) {
      return NONE_FREE;
    }
    FREE_COUNT.setOpaque(this, count);
    return free[count];
  }

  /** Puts a slot back. The heap only. */
  void push(int number) {
    int count = freeCount;
    free[count] = (char) number;
    FREE_COUNT.setOpaque(this, count + 1);
  }

  @Nullable Object cached(int number) {
    return cached[number];
  }

  /** The heap only. */
  int freeCount() {
    return freeCount;
  }

  /** Whether no slot is live. The heap only. */
  boolean isEmpty() {
    return freeCount == free.length;
  }

  /**
   * Pushes a slot as another thread than the heap's. The compare-and-set releases the slot's
   * contents to the exchange in {@link #takeRemote}.
   *
   * @return whether the stack was empty, and the slab has to be sent to its heap
   */
  boolean pushRemote(int number) {
    int top;
    do {
      top = (int) HEAD.getOpaque(this);
      links[number] = (char) top;
    } while (!HEAD.compareAndSet(this, top, number + 1));
    return top == EMPTY;
  }

  /** Takes all that others have freed: the code of the slot on top. The heap only. */
  int takeRemote() {
    return (int) HEAD.getAndSet(this, EMPTY);
  }

  /** The code of the slot below. The heap only, before it gives that slot out. */
  int below(int code) {
    return links[code - 1];
  }

  /** The bytes of slots in use, as any thread sees it: exact while nobody allocates or frees. */
  long liveBytes() {
    int live = slots() - (int) FREE_COUNT.getOpaque(this);
    int code = (int) HEAD.getAcquire(this);
    while (code != EMPTY && live > 0) {
      live--;
      code = below(code);
    }
    return (long) live * slotBytes;
  }
}
