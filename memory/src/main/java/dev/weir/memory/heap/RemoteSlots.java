package dev.weir.memory.heap;

import dev.weir.memory.pages.SpanSize;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The half of a slab that is everybody's: whose it is, and the slots that others than its heap have
 * freed. These are a linked stack of slot numbers, which any thread pushes to with one
 * compare-and-set, and which the heap takes as a whole with one exchange (R. K. Treiber, "Systems
 * Programming: Coping with Parallelism", IBM RJ 5118, 1986). Since nothing is ever taken singly, a
 * number that comes back cannot be mistaken for its former self.
 *
 * <p>An empty stack may carry a mark: the push that replaces it is told so, and must tell the heap.
 */
/*
 *   head:  0 empty      -1 empty and marked      n + 1 slot n is on top
 *   links[n]: the same for what lies below slot n, written before the push of n releases it
 *
 * The links are numbers in an array of their own, made when there is a second slot: no object stands for a free slot,
 * and no byte of freed memory is written, where a stale user could spoil it. Whoever pushes the first slot of a stack
 * and sees no links needs none: if there are some later, the slot's is 0, for nobody has ever pushed it.
 *
 * The four fields are what a thread looks at that frees a slot of another's. They lie together, and a cache line or more
 * behind the count of SlotStack, which the owner writes with every slot: a JVM lays out the fields of a class behind
 * those of the class that it extends. So ListedSlab's are in between, which are written with every slab, and Slab's come
 * behind, with a gap that keeps the next object in the Java heap away.
 */
abstract class RemoteSlots extends ListedSlab {
  /** Stands for no slot. */
  static final int END = -1;

  private static final int EMPTY = 0;
  private static final int MARKED = -1;

  private static final VarHandle HEAD;
  private static final VarHandle LINKS;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      HEAD = lookup.findVarHandle(RemoteSlots.class, "head", int.class);
      LINKS = lookup.findVarHandle(RemoteSlots.class, "links", char[].class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  @SuppressWarnings("unused") // through HEAD
  private int head;

  @SuppressWarnings("unused") // through LINKS
  private char @Nullable [] links;

  /** Whose it is, or was when it was retired. */
  private volatile Heap heap;

  /**
   * The thread that takes and puts back slots without an atomic: that of the {@link OwnedHeap} in
   * whose list it is; null in a stripe's, and while it is retired. Only a thread itself writes its
   * own name here, and nobody takes it away while a block of the slab is in use, unless the thread
   * has ended: so whoever releases a block and reads its own has the slab.
   */
  private @Nullable Thread owner;

  RemoteSlots(Heap heap, SpanSize size, int sizeClass, int slotBytes, int slots) {
    super(size, sizeClass, slotBytes, slots);
    this.heap = heap;
  }

  /** Whose it is, or was when it was retired. */
  final Heap heap() {
    return heap;
  }

  /**
   * Hands the slab to another heap. Remote threads that still see the old one forward what they
   * send.
   */
  final void adoptedBy(Heap newHeap) {
    heap = newHeap;
  }

  /** The thread whose the slab's stack is alone; null if there is none. */
  final @Nullable Thread owner() {
    return owner;
  }

  /** Names that thread. Only itself, or null. */
  final void setOwner(@Nullable Thread thread) {
    owner = thread;
  }

  /**
   * Pushes a slot. Any thread; whoever was given the slot. The CAS releases the link and the slot's
   * contents to the acquire in {@link #takeRemote}.
   *
   * @return whether it has replaced the mark
   */
  final boolean pushRemote(int number) {
    int top;
    do {
      top = (int) HEAD.getAcquire(this);
      char[] below = top > EMPTY ? links() : (char[]) LINKS.getAcquire(this);
      if (below != null) {
        below[number] = (char) Math.max(top, EMPTY);
      }
    } while (!HEAD.compareAndSet(this, top, number + 1));
    return top == MARKED;
  }

  /**
   * Takes everything, the mark excepted: the number on top, from which {@link #nextRemote} leads
   * on, or {@link #END}. The heap only, or who has its lock.
   */
  final int takeRemote() {
    int top = (int) HEAD.getOpaque(this);
    return top <= EMPTY ? END : (int) HEAD.getAndSet(this, EMPTY) - 1;
  }

  /** The slot that lay below one which has been taken. The heap only, before it gives that out. */
  final int nextRemote(int number) {
    char[] below = (char[]) LINKS.getAcquire(this);
    return below == null ? END : below[number] - 1;
  }

  /** Marks the stack; false if it is not empty. The heap only. */
  final boolean tryMark() {
    return HEAD.compareAndSet(this, EMPTY, MARKED);
  }

  /** Takes the mark away; false if a push has replaced it. The heap only. */
  final boolean tryUnmark() {
    return HEAD.compareAndSet(this, MARKED, EMPTY);
  }

  /** Whether others have freed slots, as any thread sees it. */
  final boolean hasRemoteOpaque() {
    return (int) HEAD.getOpaque(this) > EMPTY;
  }

  /** How many slots others have freed. Exact when nobody frees or drains at the time. */
  final int remoteCount() {
    int count = 0;
    int number = (int) HEAD.getAcquire(this) - 1;
    while (number >= 0 && count < slots()) {
      count++;
      number = nextRemote(number);
    }
    return count;
  }

  /** Where slots that others freed are linked; made at the first need. Any thread. */
  final char[] links() {
    char[] made = (char[]) LINKS.getAcquire(this);
    return made != null ? made : makeLinks();
  }

  private char[] makeLinks() {
    char[] fresh = new char[slots()];
    char[] before = (char[]) LINKS.compareAndExchange(this, (char[]) null, fresh);
    return before != null ? before : fresh;
  }
}
