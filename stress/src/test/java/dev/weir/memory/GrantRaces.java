package dev.weir.memory;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.os.NativeMemory;
import dev.weir.memory.pages.Lane;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.pages.Reservation;
import dev.weir.stress.SilentPages;
import java.util.concurrent.CompletableFuture;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/** Promises are made, withdrawn and given back at once: none is lost, none made twice. */
public final class GrantRaces {
  private static final long LIMIT_BYTES = 1 << 20;
  private static final Reservation ADDRESSES =
      Reservation.reserve(NativeMemory.system(), LIMIT_BYTES);

  private GrantRaces() {}

  /** A queue over pages of its own; a page heap that touches none. */
  private abstract static class Queue {
    final Budget root = Budget.root("root", () -> LIMIT_BYTES, 0, () -> 0);
    final PageHeap pages = SilentPages.heap(NativeMemory.system(), ADDRESSES, LIMIT_BYTES);
    final GrantQueue queue = new GrantQueue(pages, root);
    final long pageBytes = pages.pageBytes();

    /** Promised to nobody, so that the limit is near. */
    long keptBytes;

    void keep(long bytes) {
      if (!pages.promises().tryMake(bytes, Lane.SMALL_PROMISE)) {
        throw new AssertionError("refused");
      }
      keptBytes = bytes;
    }

    /** A request that waits, and would fit now. */
    CompletableFuture<Grant> waiting() {
      keep(pages.promises().largestBytes(Lane.SMALL_PROMISE));
      CompletableFuture<Grant> waiting = queue.request(pageBytes, Long.MAX_VALUE);
      pages.promises().giveBack(keptBytes, Lane.SMALL_PROMISE);
      keptBytes = 0;
      return waiting;
    }

    /** What became of a request, and how many pages are promised to requests. */
    String outcome(CompletableFuture<Grant> request) {
      return state(request) + " " + (pages.totals().promisedBytes() - keptBytes) / pageBytes;
    }

    static String state(CompletableFuture<Grant> request) {
      return switch (request.state()) {
        case SUCCESS -> "granted";
        case CANCELLED -> "cancelled";
        case FAILED -> "failed";
        case RUNNING -> "waits";
      };
    }
  }

  /** A request is withdrawn while it is served. */
  @JCStressTest
  @Outcome(
      id = {"granted 1", "cancelled 0"},
      expect = Expect.ACCEPTABLE)
  @State
  public static class CancelAgainstServe extends Queue {
    private final CompletableFuture<Grant> request = waiting();

    @Actor
    public void serve() {
      queue.serve(0);
    }

    @Actor
    public void cancel() {
      request.cancel(false);
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      queue.serve(0);
      seen.r1 = outcome(request);
    }
  }

  /** A large request that keeps a small one to its lane's share is withdrawn while it is served. */
  @JCStressTest
  @Outcome(id = "cancelled, granted", expect = Expect.ACCEPTABLE)
  @State
  public static class CancelInTheOtherLaneAgainstServe extends Queue {
    private final CompletableFuture<Grant> large;
    private final CompletableFuture<Grant> small;

    public CancelInTheOtherLaneAgainstServe() {
      keep(pages.promises().largestBytes(Lane.SMALL_PROMISE) - pageBytes);
      large = queue.request(2 * Lane.MAX_SMALL_PROMISE_BYTES, Long.MAX_VALUE);
      small = queue.request(pageBytes, Long.MAX_VALUE);
    }

    @Actor
    public void serve() {
      queue.serve(0);
    }

    @Actor
    public void cancel() {
      large.cancel(false);
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      queue.serve(0);
      seen.r1 = state(large) + ", " + state(small);
    }
  }

  /** Two serve the queue. */
  @JCStressTest
  @Outcome(id = "granted 1", expect = Expect.ACCEPTABLE)
  @State
  public static class ServeAgainstServe extends Queue {
    private final CompletableFuture<Grant> request = waiting();

    @Actor
    public void first() {
      queue.serve(0);
    }

    @Actor
    public void second() {
      queue.serve(0);
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      seen.r1 = outcome(request);
    }
  }

  /** The pool is closed while the queue is served. */
  @JCStressTest
  @Outcome(
      id = {"granted 1", "failed 0"},
      expect = Expect.ACCEPTABLE)
  @State
  public static class CloseAgainstServe extends Queue {
    private final CompletableFuture<Grant> request = waiting();

    @Actor
    public void serve() {
      queue.serve(0);
    }

    @Actor
    public void close() {
      queue.close();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      seen.r1 = outcome(request);
    }
  }

  /** The pool is closed while a request comes: it does not wait for ever. */
  @JCStressTest
  @Outcome(id = "failed 0", expect = Expect.ACCEPTABLE)
  @State
  public static class CloseAgainstRequest extends Queue {
    private CompletableFuture<Grant> request;

    public CloseAgainstRequest() {
      keep(pages.promises().largestBytes(Lane.SMALL_PROMISE) - pageBytes);
    }

    @Actor
    public void request() {
      request = queue.request(2 * pageBytes, Long.MAX_VALUE);
    }

    @Actor
    public void close() {
      queue.close();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      seen.r1 = outcome(request);
    }
  }

  /** Two requests for what only one can have at once: the other waits. */
  @JCStressTest
  @Outcome(
      id = {"granted, waits, queued", "waits, granted, queued"},
      expect = Expect.ACCEPTABLE)
  @State
  public static class RequestAgainstRequest extends Queue {
    private CompletableFuture<Grant> first;
    private CompletableFuture<Grant> second;

    @Actor
    public void first() {
      first = queue.request(pages.promises().largestBytes(Lane.PROMISE), Long.MAX_VALUE);
    }

    @Actor
    public void second() {
      second = queue.request(pages.promises().largestBytes(Lane.PROMISE), Long.MAX_VALUE);
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      seen.r1 = state(first) + ", " + state(second) + (queue.hasWaiting() ? ", queued" : "");
    }
  }

  /** A grant is closed while a block is allocated from it. */
  @JCStressTest
  @Outcome(
      id = {"live 1, promised 0", "live 0, promised 0"},
      expect = Expect.ACCEPTABLE)
  @State
  public static class CloseOfAGrantAgainstAllocation extends Queue {
    private final Grant grant = queue.request(2 * pageBytes, Long.MAX_VALUE).join();
    private Block block;

    @Actor
    public void allocate() {
      try {
        block = grant.allocate(pageBytes);
      } catch (IllegalStateException e) {
        block = null;
      }
    }

    @Actor
    public void close() {
      grant.close();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      seen.r1 =
          "live "
              + pages.totals().liveBytes() / pageBytes
              + ", promised "
              + pages.totals().promisedBytes() / pageBytes;
    }
  }

  /** A grant is closed while a block grows by it: it has grown, or has not; no page is lost. */
  @JCStressTest
  @Outcome(
      id = {"live 17, promised 0, true", "live 16, promised 0, false"},
      expect = Expect.ACCEPTABLE)
  @State
  public static class CloseOfAGrantAgainstGrowth extends Queue {
    private final Grant first = queue.request(16 * pageBytes, Long.MAX_VALUE).join();
    private final Block block = first.allocateGrowing(16 * pageBytes);
    private final Grant grant = queue.request(2 * pageBytes, Long.MAX_VALUE).join();
    private boolean grown;

    @Actor
    public void grow() {
      try {
        grown = grant.tryGrow(block, 17 * pageBytes);
      } catch (IllegalStateException e) {
        grown = false;
      }
    }

    @Actor
    public void close() {
      grant.close();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      seen.r1 =
          "live "
              + pages.totals().liveBytes() / pageBytes
              + ", promised "
              + pages.totals().promisedBytes() / pageBytes
              + ", "
              + grown;
    }
  }

  /** A grant is closed twice. */
  @JCStressTest
  @Outcome(id = "granted 0", expect = Expect.ACCEPTABLE)
  @State
  public static class CloseOfAGrantAgainstItself extends Queue {
    private final CompletableFuture<Grant> request = queue.request(pageBytes, Long.MAX_VALUE);
    private final Grant grant = request.join();

    @Actor
    public void first() {
      grant.close();
    }

    @Actor
    public void second() {
      grant.close();
    }

    @Arbiter
    public void afterwards(L_Result seen) {
      seen.r1 = outcome(request);
    }
  }
}
