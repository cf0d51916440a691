package dev.weir.server.http;

import java.util.LinkedHashSet;
import java.util.SequencedSet;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Lets searches that may have to read much take turns: one goes on at a time, a piece each task, so
 * that whatever else waits for the I/O threads comes in between. For any thread.
 */
final class ForkSearches {
  private final Executor io;

  /** In the order of their coming; guarded by this. */
  private final SequencedSet<ForkSearch> waiting = new LinkedHashSet<>();

  /** Guarded by this. */
  private @Nullable ForkSearch running;

  ForkSearches(Executor io) {
    this.io = io;
  }

  /** Goes on with a search now, or when it is its turn; it is told of its failure to. */
  void add(ForkSearch search) {
    synchronized (this) {
      if (running != null) {
        waiting.add(search);
        return;
      }
      running = search;
    }
    goOn(search);
  }

  /** Forgets a search that waits; one that is under way ends by itself. */
  synchronized void remove(ForkSearch search) {
    waiting.remove(search);
  }

  private void goOn(@Nullable ForkSearch search) {
    for (ForkSearch next = search; next != null; next = next()) {
      ForkSearch turn = next;
      try {
        io.execute(() -> goOn(turn.step() ? next() : turn));
        return;
      } catch (Throwable notBegun) {
        turn.fail(notBegun);
      }
    }
  }

  /** The one that is under way is over. */
  private synchronized @Nullable ForkSearch next() {
    ForkSearch next = waiting.isEmpty() ? null : waiting.removeFirst();
    running = next;
    return next;
  }
}
