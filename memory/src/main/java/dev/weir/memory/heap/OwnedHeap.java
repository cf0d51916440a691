package dev.weir.memory.heap;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.Credits;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.sampling.ByteCountdown;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The heap of one thread: an event loop's. Its owner allocates and frees without atomics; blocks
 * may be released by any thread.
 *
 * <p>Other threads can trim it, whatever the owner is at: they leave it the slabs that it looks at
 * without a lock, but take what lies free there. They cannot close it. They ask for that: the
 * request is posted to the owner's {@link Executor}, and is honoured at the latest when the owner
 * next needs a slab.
 */
public final class OwnedHeap extends Heap {
  /** Rarer samples are drawn this often: twice as much is the largest int. */
  private static final int MAX_INTERVAL = 1 << 30;

  private final Thread owner;
  private final Executor executor;
  private final SharedHeap heir;
  private final Consumer<InsidePurge> purger;
  private final AtomicBoolean closed = new AtomicBoolean();

  /** Whether somebody else wants it closed, and the owner has not come to that. */
  private final AtomicBoolean closeAsked = new AtomicBoolean();

  private volatile boolean handedOver;

  private final Credits credits = new Credits();
  private final @Nullable ByteCountdown countdown;
  private final @Nullable ByteCountdown hardeningCountdown;

  /** Keeps what each release reads off the cache line that is written at each allocation. */
  @SuppressWarnings("unused")
  private long gap0, gap1, gap2, gap3, gap4, gap5, gap6, gap7;

  /** Calls to {@link #drawSample} until the next yes; 0 before the first. */
  private long untilSample;

  /**
   * Creates the heap of the calling thread.
   *
   * @param executor runs tasks on the calling thread; may drop them
   * @param heir gets the slabs when the heap is closed
   * @param purger takes what the owner unlinks; runs it, or has it run by another thread
   */
  @SuppressWarnings("exports") // for the pool only: nobody else has a page heap
  public OwnedHeap(
      PageHeap pages, Executor executor, SharedHeap heir, Consumer<InsidePurge> purger) {
    this(pages, executor, heir, purger, /* countdown= */ null, /* hardeningCountdown= */ null);
  }

  /**
   * The same, with a countdown to the samples of the pool's profile, and one to the blocks that are
   * hardened.
   */
  @SuppressWarnings("exports") // for the pool only: nobody else has a page heap
  public OwnedHeap(
      PageHeap pages,
      Executor executor,
      SharedHeap heir,
      Consumer<InsidePurge> purger,
      @Nullable ByteCountdown countdown,
      @Nullable ByteCountdown hardeningCountdown) {
    super(pages);
    this.countdown = countdown;
    this.hardeningCountdown = hardeningCountdown;
    this.owner = Thread.currentThread();
    this.executor = executor;
    this.heir = heir;
    this.purger = purger;
  }

  /** The thread that this heap belongs to. */
  @Override
  public Thread owner() {
    return owner;
  }

  /** Whether it has been closed. */
  public boolean isClosed() {
    return closed.get();
  }

  /** Whether it has been closed to the end: nobody needs to do it again. */
  public boolean isHandedOver() {
    return handedOver;
  }

  /**
   * Takes a slot. The owner only.
   *
   * @return null if the limit has no room
   */
  public <T> @Nullable T tryAllocate(int sizeClass, BlockFactory<T> factory) {
    return allocateSlot(sizeClass, factory);
  }

  /**
   * Takes a slot and charges it. The owner only.
   *
   * @param budget of the pool that the heap belongs to
   * @return null if a limit has no room
   */
  public <T> @Nullable T tryAllocate(int sizeClass, Budget budget, BlockFactory<T> factory) {
    int slotBytes = SizeClasses.slotBytes(sizeClass);
    if (!credits.tryCharge(budget, slotBytes)) {
      return null;
    }
    T object = null;
    try {
      object = allocateSlot(sizeClass, factory);
    } finally {
      if (object == null) {
        credits.uncharge(budget, slotBytes);
      }
    }
    return object;
  }

  /**
   * What was left at the slot that is taken next, if one lies ready; null otherwise. For those who
   * need no more of it than that it is still theirs: see {@link #tryTakePeeked}. The owner only.
   */
  public @Nullable Object peekCached(int sizeClass) {
    return current(sizeClass).peekCached();
  }

  /**
   * Takes the slot that {@link #peekCached} has just told of, and charges it. The owner only.
   *
   * @param budget of the pool that the heap belongs to; null to charge nothing
   * @return false if a limit has no room, or another thread has just trimmed the heap; nothing has
   *     changed then
   */
  public boolean tryTakePeeked(int sizeClass, @Nullable Budget budget) {
    Slab slab = current(sizeClass);
    if (budget != null && !credits.tryCharge(budget, slab.slotBytes())) {
      return false;
    }
    boolean taken = slab.tryTakePeeked();
    if (!taken && budget != null) {
      credits.uncharge(budget, slab.slotBytes());
    }
    return taken;
  }

  /** The countdown to the next sample of its pool's profile; null if there is none. */
  public @Nullable ByteCountdown countdown() {
    return countdown;
  }

  /** The countdown to the next block that its pool hardens; null if there is none. */
  public @Nullable ByteCountdown hardeningCountdown() {
    return hardeningCountdown;
  }

  /**
   * Draws a sample: says yes to one call in {@code interval}, at random. The owner only.
   *
   * @param interval positive, and the same in every call
   */
  public boolean drawSample(int interval) {
    return --untilSample <= 0 && drawNext(interval);
  }

  private boolean drawNext(int interval) {
    boolean drawn = untilSample == 0 || interval == 1;
    untilSample =
        1L + ThreadLocalRandom.current().nextInt(2 * Math.min(interval, MAX_INTERVAL) - 1);
    return drawn;
  }

  /** Does what is due before so many bytes of pages become live. The owner only. */
  public void beforeRun(long bytes) {
    if (!hasSlabs()) {
      return;
    }
    enter();
    try {
      sweep().unlinkBeforeGrowth(bytes);
    } finally {
      leave();
    }
  }

  @Override
  void enter() {
    if (closeAsked.getPlain() && closeAsked.compareAndSet(true, false)) {
      close();
    }
    lock.lock();
  }

  @Override
  void leave() {
    unlock(purger);
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // a thread is its identity
  boolean isAlone() {
    return Thread.currentThread() == owner || !owner.isAlive();
  }

  @Override
  void freeElsewhere(Slab slab, int number) {
    freeRemotely(slab, number);
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // a thread is its identity
  void release(Slab slab, int number, Budget payer) {
    if (Thread.currentThread() == owner) {
      credits.uncharge(payer, slab.blockBytes());
      freeLocally(slab, number);
    } else {
      payer.uncharge(slab.blockBytes());
      freeRemotely(slab, number);
    }
  }

  /**
   * Retires every slab without a live block, and gives back the free pages of the others, but while
   * somebody has been at work on them for a second. A slab from which the owner allocates next is
   * not retired by another thread, but gives all its pages. Any thread, without a lock.
   */
  public void trim() {
    HeapTrimmer.trim(this);
  }

  /** Retires its empty slabs, if it seems to have any that nobody has looked after. Any thread. */
  public void retireIdle() {
    HeapTrimmer.retireIdle(this, /* takesOver= */ true);
  }

  /** Asks the owner to close the heap; closes it where the caller is the owner. Any thread. */
  @SuppressWarnings("ReferenceEquality") // a thread is its identity
  public void requestClose() {
    if (Thread.currentThread() == owner) {
      close();
    } else if (!closed.get() && closeAsked.compareAndSet(false, true)) {
      postClose();
    }
  }

  private void postClose() {
    boolean posted = false;
    try {
      executor.execute(this::closeIfAsked);
      posted = true;
    } catch (RejectedExecutionException e) {
      // The owner is shutting down, and closing the heap hands everything over.
    } finally {
      if (!posted) {
        closeAsked.set(false); // Ask again at the next occasion.
      }
    }
  }

  @SuppressWarnings("ReferenceEquality") // a thread is its identity
  private void closeIfAsked() {
    // An executor may run tasks elsewhere: the owner finds the request when it needs a slab.
    if (Thread.currentThread() == owner && closeAsked.compareAndSet(true, false)) {
      close();
    }
  }

  /**
   * Hands the slabs to the shared heap. The owner only, or anyone once the owner has ended. Blocks
   * stay valid; a second call does nothing.
   */
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    try {
      credits.close();
      lock.lock();
      try {
        heir.adoptAll(this);
      } finally {
        lock.unlock();
      }
      handedOver = true;
    } finally {
      if (!handedOver) {
        closed.set(false);
      }
    }
  }
}
