package dev.weir.streams;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * Has expired streams deleted, a part at a time: the next part is sent once the last one is done,
 * so appends never wait behind more than one. For the janitor's thread alone.
 *
 * <p>A part takes one sync, which what clients send meanwhile shares, and one more for each fork
 * and each stream with forks in it: the committer has those alone in a batch, since what becomes of
 * one depends on what became of the other. They come last, so that they do not cut up the rest. One
 * whose fork was still being made when it was looked at costs a sync of its own as well.
 */
final class ExpirySweep implements Runnable {
  /** A quarter of a batch, which leaves room for what clients send. */
  static final int MAX_QUEUED = 256;

  /** What a fork, or a stream with forks, counts for: a part has eight of them at most. */
  static final int RELATIVE_COUNTS = 32;

  private static final System.Logger LOG = System.getLogger(ExpirySweep.class.getName());

  private final Catalog catalog;
  private final Clock clock;
  private final Consumer<Command> committer;
  private final Executor janitor;
  private Iterator<Stream> rest = Collections.emptyIterator();
  private CompletableFuture<Void> queued = CompletableFuture.completedFuture(null);

  ExpirySweep(Catalog catalog, Clock clock, Consumer<Command> committer, Executor janitor) {
    this.catalog = catalog;
    this.clock = clock;
    this.committer = committer;
    this.janitor = janitor;
  }

  /**
   * Sends the next part, and has itself run again when that is done; does nothing before. Never
   * throws, for it would not be run again: what stopped it is logged, and the next sweep goes on.
   */
  @Override
  public void run() {
    try {
      sendNext();
    } catch (Throwable stopped) {
      LOG.log(
          System.Logger.Level.WARNING,
          "looking for expired streams broke off; the next sweep goes on",
          stopped);
    }
  }

  private void sendNext() {
    if (!queued.isDone()) {
      return;
    }
    if (!rest.hasNext()) {
      rest = catalog.streams().iterator();
    }
    queued = CompletableFuture.allOf(sendPart().toArray(CompletableFuture[]::new));
    if (rest.hasNext()) {
      // After a failure the next sweep goes on.
      CompletableFuture<Void> _ = queued.thenRun(this::runAgain);
    }
  }

  private List<CompletableFuture<DeleteOutcome>> sendPart() {
    List<CompletableFuture<DeleteOutcome>> answers = new ArrayList<>();
    List<Stream> relatives = new ArrayList<>();
    long nowMillis = clock.nowMillis();
    int counted = 0;
    while (rest.hasNext() && counted < MAX_QUEUED) {
      Stream stream = rest.next();
      if (stream.state().softDeleted() || !stream.isExpired(nowMillis)) {
        continue;
      }
      if (isRelative(stream.state())) {
        relatives.add(stream);
        counted += RELATIVE_COUNTS;
      } else {
        answers.add(send(stream));
        counted++;
      }
    }
    relatives.forEach(stream -> answers.add(send(stream)));
    return answers;
  }

  private boolean isRelative(StreamState state) {
    return state.config().fork() != null || catalog.hasForks(state.streamId());
  }

  private CompletableFuture<DeleteOutcome> send(Stream stream) {
    CompletableFuture<DeleteOutcome> answer = new CompletableFuture<>();
    committer.accept(new Command.Delete(stream.state().path(), /* expiredOnly= */ true, answer));
    return answer;
  }

  private void runAgain() {
    try {
      janitor.execute(this);
    } catch (RejectedExecutionException closed) {
      LOG.log(System.Logger.Level.DEBUG, "expired streams stay until the next start", closed);
    }
  }
}
