package dev.weir.memory.heap;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.Credits;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.pages.Span;
import dev.weir.memory.pages.SpanSize;
import dev.weir.memory.profile.ByteCountdown;
import dev.weir.memory.sync.StackRoom;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The heap of one thread: an event loop's. Its owner allocates and frees without atomics; blocks
 * may be released by any thread.
 *
 * <p>Other threads cannot trim it. They ask: the request is posted to the owner's {@link Executor},
 * and is honoured at the latest when the owner next needs a slab.
 */
public final class OwnedHeap extends Heap {
  /** Rarer samples are drawn this often: twice as much is the largest int. */
  private static final int MAX_INTERVAL = 1 << 30;

  private final Thread owner;
  private final Executor executor;
  private final SharedHeap heir;
  private final Consumer<InsidePurge> purger;
  private final AtomicReference<@Nullable List<Slab>> toUnlink = new AtomicReference<>();
  private final AtomicReference<Request> request = new AtomicReference<>(Request.NONE);
  private final AtomicBoolean closed = new AtomicBoolean();

  private volatile boolean handedOver;

  /** {@link System#nanoTime} until which nobody waits for the owner. Any thread. */
  private volatile long restsUntilNanos = System.nanoTime();

  /** Whether the owner is at a request that it has taken. Set before that. */
  private volatile boolean honouring;

  private final Credits credits = new Credits();
  private final @Nullable ByteCountdown countdown;
  private final @Nullable ByteCountdown hardeningCountdown;

  /** What is left of the list that the owner took from {@link #toUnlink} last. */
  private List<Slab> unlinking = List.of();

  /** Calls to {@link #takesSample} until the next yes; 0 before the first. */
  private int untilSample;

  /** What others want of the owner. A stronger request takes the place of a weaker one. */
  private enum Request {
    NONE,
    PARK,
    UNLINK,
    TRIM,
    CLOSE
  }

  /**
   * Creates the heap of the calling thread.
   *
   * @param executor runs tasks on the calling thread; may drop them
   * @param heir gets the slabs when the heap is closed
   * @param purger takes what is unlinked at the request of others; runs it, or has it run by
   *     another thread
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
  public <T> @Nullable T tryAllocate(int sizeClass, Tenants<T> tenants) {
    return allocateSlot(sizeClass, tenants);
  }

  /**
   * Takes a slot and charges it. The owner only.
   *
   * @param budget of the pool that the heap belongs to
   * @return null if a limit has no room
   */
  public <T> @Nullable T tryAllocate(int sizeClass, Budget budget, Tenants<T> tenants) {
    int slotBytes = SizeClasses.slotBytes(sizeClass);
    if (!credits.tryCharge(budget, slotBytes)) {
      return null;
    }
    T tenant = null;
    try {
      tenant = allocateSlot(sizeClass, tenants);
    } finally {
      if (tenant == null) {
        credits.uncharge(budget, slotBytes);
      }
    }
    return tenant;
  }

  /**
   * What was left at the slot that is taken next, if one lies ready; null otherwise. For those who
   * need no more of it than that it is still theirs: see {@link #tryTakeNext}. The owner only.
   */
  public @Nullable Object nextTenant(int sizeClass) {
    return current(sizeClass).nextTenant();
  }

  /**
   * Takes the slot that {@link #nextTenant} has just told of, and charges it. The owner only.
   *
   * @param budget of the pool that the heap belongs to; null to charge nothing
   * @return false if a limit has no room; nothing has changed then
   */
  public boolean tryTakeNext(int sizeClass, @Nullable Budget budget) {
    Slab slab = current(sizeClass);
    if (budget != null && !credits.tryCharge(budget, slab.slotBytes())) {
      return false;
    }
    slab.takeNext();
    return true;
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
  public boolean takesSample(int interval) {
    return --untilSample <= 0 && drawNext(interval);
  }

  private boolean drawNext(int interval) {
    boolean drawn = untilSample == 0 || interval == 1;
    untilSample = 1 + ThreadLocalRandom.current().nextInt(2 * Math.min(interval, MAX_INTERVAL) - 1);
    return drawn;
  }

  /**
   * Does what others have asked the owner for, and what is due before pages become live. The owner
   * only, on the way to a run.
   */
  public void beforeRun(long bytes) {
    beforeRefill();
    unlinkBeforeGrowth(bytes, purger);
  }

  @Override
  void beforeGrowth(int bytes) {
    unlinkBeforeGrowth(bytes, purger);
  }

  @Override
  void beforeRefill() {
    if (request.getPlain() != Request.NONE) {
      honourRequest();
    }
  }

  @Override
  void afterRelease() {
    beforeRefill();
  }

  /**
   * Has the owner honour what it was asked for at its next release, if it comes to that sooner than
   * to a task or a slab. Any thread.
   */
  public void askAtRelease() {
    for (SpanSize size : SpanSize.values()) {
      for (Span span : pages().spans(size)) {
        if (span instanceof Slab slab && slab.ownedBy == this) {
          slab.noticeNext();
        }
      }
    }
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
   * Parks every slab without a live block and unlinks the free pages of the others. The owner only.
   *
   * @param purges gets what is to be given back; runs it, or has it run by another thread
   */
  public void trim(Consumer<InsidePurge> purges) {
    if (!closed.get()) {
      trimSlabs(purges);
    }
  }

  /** Asks the owner to park its empty slabs, if it seems to have any. Any thread. */
  public void requestPark() {
    if (looksParkable()) {
      post(Request.PARK);
    }
  }

  @Override
  void requestUnlink(List<Slab> slabs) {
    toUnlink.set(slabs); // What an older survey saw is out of date.
    post(Request.UNLINK);
  }

  /** Unlinks the free pages of the next few slabs; the rest is asked for again. */
  private void unlinkSome() {
    List<Slab> newer = toUnlink.getAndSet(null);
    if (newer != null) {
      unlinking = newer;
    }
    int count = Math.min(unlinking.size(), MAX_SLABS_A_STEP);
    unlinkFree(unlinking.subList(0, count), purger);
    unlinking = unlinking.subList(count, unlinking.size());
    if (!unlinking.isEmpty()) {
      raise(Request.UNLINK);
    }
  }

  /** Asks the owner for everything that is free. Any thread. */
  public void requestTrim() {
    post(Request.TRIM);
  }

  /** Asks the owner to close the heap; closes it where the caller is the owner. Any thread. */
  @SuppressWarnings("ReferenceEquality") // a thread is its identity
  public void requestClose() {
    if (Thread.currentThread() == owner) {
      close();
    } else {
      post(Request.CLOSE);
    }
  }

  private void post(Request wanted) {
    if (raise(wanted) == Request.NONE) {
      postTask();
    }
  }

  private Request raise(Request wanted) {
    return request.getAndAccumulate(wanted, (old, more) -> old.compareTo(more) > 0 ? old : more);
  }

  private void postTask() {
    if (closed.get()) {
      request.set(Request.NONE); // It may be opened again.
      return;
    }
    boolean posted = false;
    try {
      executor.execute(this::honourThenPost);
      posted = true;
    } catch (RejectedExecutionException | OutOfMemoryError | StackOverflowError e) {
      // The owner is shutting down, and closing the heap hands everything over; or there is no room
      // for a task just now.
    } finally {
      if (!posted) {
        request.set(Request.NONE); // Ask again at the next occasion.
      }
    }
  }

  @SuppressWarnings("ReferenceEquality") // a thread is its identity
  private void honourThenPost() {
    if (Thread.currentThread() != owner) {
      // An executor that runs tasks elsewhere: the owner finds the request when it needs a slab.
      return;
    }
    honourRequest();
    if (request.getPlain() != Request.NONE) {
      postTask();
    }
  }

  /**
   * Whether somebody has asked the owner for something that it has not done yet. Any thread: what
   * it did is visible after a no.
   */
  public boolean isAsked() {
    return request.get() != Request.NONE || honouring;
  }

  /** Says that the owner has let somebody wait in vain: for others, until then. Any thread. */
  public void restUntil(long nanos) {
    restsUntilNanos = nanos;
  }

  /** Whether {@link #restUntil} still holds. Any thread. */
  public boolean restsAt(long nowNanos) {
    return nowNanos - restsUntilNanos < 0;
  }

  /** Does what others have asked for: for an owner that waits. The owner only. */
  public void answer() {
    beforeRefill();
  }

  private void honourRequest() {
    honouring = true;
    try {
      honour(request.getAndSet(Request.NONE));
    } finally {
      honouring = false;
    }
  }

  private void honour(Request wanted) {
    if (closed.get()) {
      return;
    }
    switch (wanted) {
      case NONE -> {}
      case PARK -> parkEmptySlabs();
      case UNLINK -> {
        parkEmptySlabs();
        unlinkSome();
      }
      case TRIM -> {
        toUnlink.set(null);
        unlinking = List.of();
        trimSlabs(purger);
      }
      case CLOSE -> close();
    }
  }

  /**
   * Hands the slabs to the shared heap. The owner only, or anyone once the owner has ended. Blocks
   * stay valid; a second call does nothing, but after one that failed for want of stack.
   *
   * @throws StackOverflowError if the stack has no room for that; the heap is as open as before
   */
  public void close() {
    StackRoom.requireForNested(); // For what opens it again, too.
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    try {
      credits.close();
      heir.adoptAll(this);
      handedOver = true;
    } finally {
      if (!handedOver) {
        closed.set(false);
      }
    }
  }
}
