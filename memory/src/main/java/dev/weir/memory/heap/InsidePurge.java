package dev.weir.memory.heap;

import dev.weir.memory.pages.InsidePurges.Announced;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.pages.PageSet;
import dev.weir.memory.sync.StackRoom;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Pages inside a slab that its heap has left alone, to be given back by whoever is free to make the
 * system call: not the slab's owner on its event loop, and nobody under a lock.
 */
public final class InsidePurge implements Runnable {
  @SuppressWarnings("UnnecessaryLambda") // a method reference is linked at its first use
  private static final Consumer<InsidePurge> RUN = InsidePurge::run;

  private final PageHeap pages;
  private final Slab slab;
  private final PageSet free;
  private final Announced announced = new Announced();

  /** Whether it has been run or dropped: one of the two happens, once. */
  private final AtomicBoolean isOver = new AtomicBoolean();

  InsidePurge(PageHeap pages, Slab slab, PageSet free) {
    this.pages = pages;
    this.slab = slab;
    this.free = free;
  }

  /** Has others wait for it from now on: it must be run or dropped, also if this fails. */
  void announce() {
    pages.insidePurges().announce(announced);
  }

  /** How much it gives back. */
  public long bytes() {
    return (long) free.size() * pages.pageBytes();
  }

  /** Gives the pages back, unless it is over already. Any thread, without a lock. */
  @Override
  public void run() {
    StackRoom.requireForAwaited();
    if (isOver.compareAndSet(false, true)) {
      try {
        pages.purgeInside(slab, free);
      } finally {
        end();
      }
    }
  }

  private void end() {
    slab.purgeEnded();
    announced.end();
  }

  /**
   * Ends it, unless it has been run: the pages stay live. If somebody has it still, to run it
   * later, nothing will be done then.
   */
  void drop() {
    if (isOver.compareAndSet(false, true)) {
      end();
    }
  }

  /** Runs all of them, also if some fail, and throws the first failure. */
  static void runAll(List<InsidePurge> purges) {
    switch (giveEach(purges, RUN)) {
      case null -> {}
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case Throwable e -> throw new AssertionError("nothing else was caught", e);
    }
  }

  /**
   * Leaves all of them to somebody, but for those that this one fails to take, which end. Throws
   * nothing: their pages stay live, and whatever the caller is at has nothing to do with it.
   */
  static void handOn(List<InsidePurge> purges, Consumer<InsidePurge> taker) {
    giveEach(purges, taker);
  }

  private static @Nullable Throwable giveEach(
      List<InsidePurge> purges, Consumer<InsidePurge> taker) {
    Throwable first = null;
    // Without an iterator: where the Java heap has no room for one, all would wait for these.
    for (int i = 0; i < purges.size(); i++) {
      InsidePurge purge = purges.get(i);
      try {
        taker.accept(purge);
      } catch (RuntimeException | Error e) {
        purge.drop();
        first = first == null ? e : first;
      }
    }
    return first;
  }
}
