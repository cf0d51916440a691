package dev.weir.server.store;

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
 */
final class ExpirySweep implements Runnable {
  /** A quarter of a batch, which leaves room for what clients send. */
  static final int MAX_QUEUED = 256;

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
    long nowMillis = clock.nowMillis();
    while (rest.hasNext() && answers.size() < MAX_QUEUED) {
      Stream stream = rest.next();
      if (!stream.state().softDeleted() && stream.isExpired(nowMillis)) {
        CompletableFuture<DeleteOutcome> answer = new CompletableFuture<>();
        committer.accept(
            new Command.Delete(stream.state().path(), /* expiredOnly= */ true, answer));
        answers.add(answer);
      }
    }
    return answers;
  }

  private void runAgain() {
    try {
      janitor.execute(this);
    } catch (RejectedExecutionException closed) {
      LOG.log(System.Logger.Level.DEBUG, "expired streams stay until the next start", closed);
    }
  }
}
