package dev.weir.server.http;

import dev.weir.streams.protocol.ProtocolException;
import java.nio.ByteBuffer;
import java.util.LinkedHashSet;
import java.util.SequencedSet;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Lets searches that may have to read much take turns. One at a time reads a piece, in a task of
 * its own, and goes to the end of the queue: whatever else waits for the I/O threads comes in
 * between, and a short search does not wait for the end of a long one.
 *
 * <pre>
 *   add ──▶ running ──▶ over
 *    │       │   ▲
 *    ▼       ▼   │ first of them
 *   refused  waiting, MAX_WAITING at most
 * </pre>
 *
 * Those that wait keep neither a file open nor a buffer. For any thread.
 */
final class ForkSearches {
  /**
   * A round of so many turns reads 64 MiB: the shortest search waits some tenths of a second where
   * the kernel has that in memory, and as long as the disk takes for so many reads otherwise.
   */
  static final int MAX_WAITING = 1_024;

  private static final int PIECE_BYTES = 64 << 10;

  private final Executor io;

  /** In the order of their turns; guarded by this. */
  private final SequencedSet<ForkSearch> waiting = new LinkedHashSet<>();

  /** Guarded by this. */
  private @Nullable ForkSearch running;

  /** Of whoever has its turn, which is handed on under this monitor. */
  private @Nullable ByteBuffer piece;

  ForkSearches(Executor io) {
    this.io = io;
  }

  /**
   * Goes on with a search now, or when it is its turn, which it is told of before; it is told of
   * its failure to. One that is cancelled is not begun.
   *
   * @throws ProtocolException when too many wait already
   */
  void add(ForkSearch search) throws ProtocolException {
    synchronized (this) {
      if (search.isCancelled()) {
        return;
      }
      if (running != null) {
        if (waiting.size() >= MAX_WAITING) {
          throw new ProtocolException(
              503,
              MAX_WAITING
                  + " forks wait to be looked up in their sources, the limit: ask again later");
        }
        // Before it is in the queue: nobody takes its turn meanwhile.
        search.tellOfLength();
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

  /** What is read into, made for the first; for the search whose turn it is. */
  ByteBuffer piece() {
    ByteBuffer made = piece;
    if (made == null) {
      made = ByteBuffer.allocate(PIECE_BYTES);
      piece = made;
    }
    return made.clear();
  }

  private void goOn(@Nullable ForkSearch search) {
    for (ForkSearch next = search; next != null; next = next()) {
      ForkSearch turn = next;
      try {
        io.execute(() -> takeTurn(turn));
        return;
      } catch (RejectedExecutionException notBegun) {
        turn.fail(notBegun);
      }
    }
  }

  private void takeTurn(ForkSearch search) {
    if (!search.step()) {
      waitAgain(search);
    }
    goOn(next());
  }

  private synchronized void waitAgain(ForkSearch search) {
    if (!search.isCancelled()) {
      waiting.add(search);
    }
  }

  /** The turn of the one that is under way is over. */
  private synchronized @Nullable ForkSearch next() {
    ForkSearch next = waiting.isEmpty() ? null : waiting.removeFirst();
    running = next;
    return next;
  }
}
