package dev.weir.streams;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * The one thread that changes streams. It takes what has queued up while the last sync ran, has the
 * {@link Evaluator} judge each command and write its frame, syncs the journal once for all of them
 * (group commit), publishes, and answers.
 *
 * <pre>
 * take commands → evaluate each (frame and small bytes to the WAL) → sync → publish → answer
 *                       └ refused: answered with the rest, since the reason may lie in this batch
 * </pre>
 *
 * When the journal cannot take a batch for want of room, the batch is rolled back and its commands
 * fail with {@link StorageFullException}; later ones may succeed. Its deletions, which make room
 * and need next to none, are tried again without the rest, and one by one if that fails. After any
 * other error of the journal nobody can know what is durable, nor after a defect: the committer
 * fails everything from then on, leaves every file that a frame may name, and never leaves a
 * command without an answer.
 */
final class Committer implements Runnable {
  /** Bounds the wait of the first command for the last one's evaluation. */
  private static final int MAX_BATCH_COMMANDS = 1024;

  /** Bounds what one sync has to write. */
  private static final long MAX_BATCH_BYTES = 8 << 20;

  /** What the journal can have beyond its last sync: a batch ends with the frame that fills it. */
  static final long MAX_UNSYNCED_BYTES =
      MAX_BATCH_BYTES + FrameLayout.HEADER_BYTES + FrameLayout.MAX_BODY_BYTES;

  private static final System.Logger LOG = System.getLogger(Committer.class.getName());

  private final BlockingQueue<Command> queue = new LinkedBlockingQueue<>();
  private final Object submitLock = new Object();
  private final Evaluator evaluator;
  private final JournalSeries journals;
  private final Flusher flusher;
  private final Catalog catalog;
  private final Clock clock;
  private final StoreStats stats;
  private boolean stopping;
  private volatile @Nullable StoreFailedException failure;
  private Batch batch = new Batch();

  Committer(
      Evaluator evaluator,
      JournalSeries journals,
      Flusher flusher,
      Catalog catalog,
      Clock clock,
      StoreStats stats) {
    this.evaluator = evaluator;
    this.flusher = flusher;
    this.journals = journals;
    this.catalog = catalog;
    this.clock = clock;
    this.stats = stats;
  }

  /**
   * Queues a command, from any thread, and has it from then on, whatever comes of it; after {@link
   * #stop} it fails at once.
   */
  void submit(Command command) {
    boolean queued = false;
    try {
      queued = tryQueue(command);
    } finally {
      if (!queued) {
        command.release();
      }
    }
    if (!queued) {
      command.fail(new StoreFailedException("the store is closed"));
    }
  }

  private boolean tryQueue(Command command) {
    synchronized (submitLock) {
      if (stopping) {
        return false;
      }
      queue.add(command);
      stopping = command instanceof Command.Stop;
      return true;
    }
  }

  /** Lets the commands queued so far be settled, then ends the thread. */
  CompletableFuture<Void> stop() {
    CompletableFuture<Void> answer = new CompletableFuture<>();
    submit(new Command.Stop(answer));
    return answer;
  }

  /** Why the store takes no more changes; null while it does. */
  @Nullable StoreFailedException failure() {
    return failure;
  }

  @Override
  public void run() {
    // What a start found may be due already.
    settle(flusher::flushIfDue);
    List<Command> taken = new ArrayList<>();
    while (true) {
      taken.clear();
      try {
        taken.add(queue.take());
      } catch (InterruptedException e) {
        // Nobody but a defect interrupts this thread; what is queued must still be answered.
        continue;
      }
      queue.drainTo(taken, MAX_BATCH_COMMANDS - 1);
      for (Command command : taken) {
        switch (command) {
          case Command.Stop stop -> {
            settle(this::commit);
            flusher.stop();
            stop.answer().complete(null);
            return;
          }
          case Command.Flush flush -> {
            settle(this::commit);
            flusher.request(flush.answer(), failure);
          }
          case Command.Flushed flushed -> {}
          default -> handleOrGiveUp(command);
        }
      }
      settle(this::commit);
      if (failure == null) {
        settle(flusher::flushIfDue);
      }
    }
  }

  /** A part of the loop. */
  private interface Step {
    void run() throws IOException;
  }

  /** Whatever a step throws, there will be answers. */
  private void settle(Step step) {
    try {
      step.run();
    } catch (Throwable defect) {
      giveUp(defect);
    }
  }

  private void handleOrGiveUp(Command command) {
    try {
      handle(command);
    } catch (Throwable defect) {
      command.fail(giveUp(defect));
    }
  }

  private void handle(Command command) {
    boolean alone = takeIn(command);
    evaluate(command);
    if (alone || journals.current().uncommittedBytes() >= MAX_BATCH_BYTES) {
      commit();
    }
  }

  /**
   * Adds a command to the batch, which sees to it from then on; if it throws, the command has given
   * back what it held.
   *
   * @return whether it is to be the only one
   */
  private boolean takeIn(Command command) {
    boolean taken = false;
    try {
      boolean alone = makeWay(command);
      batch.add(command);
      taken = true;
      return alone;
    } finally {
      if (!taken) {
        command.release();
      }
    }
  }

  /** Settles what has to be settled before a command; whether it is to be alone in its batch. */
  private boolean makeWay(Command command) {
    boolean alone = evaluator.mustBeAlone(command);
    if (alone || evaluator.mustFollow(command, batch)) {
      commit();
    }
    return alone;
  }

  private void evaluate(Command command) {
    if (failure != null) {
      return;
    }
    try {
      evaluator.evaluate(command, batch);
    } catch (CatalogFullException | UnflushedFullException e) {
      // The WAL knows nothing of this command: the others go on.
      batch.answer(() -> command.fail(e));
    } catch (IOException e) {
      if (isRolledBack(e)) {
        refuse(e);
      }
    }
  }

  private void commit() {
    IOException noRoom = tryCommit();
    if (noRoom != null) {
      refuse(noRoom);
    }
  }

  /** Settles the batch; or rolls it back for want of room, says so, and leaves it as it was. */
  private @Nullable IOException tryCommit() {
    if (batch.isEmpty()) {
      return null;
    }
    StoreFailedException failed = failure;
    if (failed != null) {
      batch.fail(failed);
      batch = new Batch();
      return null;
    }
    try {
      if (journals.current().uncommittedBytes() > 0) {
        journals.current().commit();
        stats.journalSyncs.increment();
      }
    } catch (IOException e) {
      return isRolledBack(e) ? e : null;
    }
    batch.publish(catalog, clock.nowMillis());
    batch = new Batch();
    return null;
  }

  /** Takes back what the batch wrote; if the error was another than want of room, gives up. */
  private boolean isRolledBack(IOException cause) {
    try {
      if (!StorageFullException.isFull(cause)) {
        throw cause;
      }
      journals.current().rollBack();
    } catch (IOException e) {
      giveUp(e);
      return false;
    }
    return true;
  }

  /** Fails a batch that was rolled back, but for the deletions that there is room for. */
  private void refuse(IOException cause) {
    // Until all that this takes is there, the batch stays where an error finds it.
    IOException noRoom = StorageFullException.wrap(cause);
    Batch next = new Batch();
    List<Command> deletions = batch.takeDeletions();
    Batch refused = batch;
    batch = next;
    if (refused.isEmpty()) {
      deleteOneByOne(deletions, noRoom);
      return;
    }
    try {
      refused.fail(noRoom);
    } finally {
      deletions.forEach(this::handleOrGiveUp);
      settle(this::commit);
    }
  }

  /**
   * Each needs less room than all of them. Where there is none for one, there is none for the next:
   * a full disk costs one sync that fails, not as many as there are deletions.
   */
  private void deleteOneByOne(List<Command> deletions, IOException noRoom) {
    Iterator<Command> rest = deletions.iterator();
    boolean room = deletions.size() > 1;
    while (room && rest.hasNext()) {
      room = hasRoomFor(rest.next());
    }
    rest.forEachRemaining(deletion -> {
      deletion.release();
      deletion.fail(noRoom);
    });
  }

  private boolean hasRoomFor(Command deletion) {
    try {
      takeIn(deletion);
      evaluate(deletion);
      IOException noRoom = tryCommit();
      if (noRoom != null) {
        batch.fail(StorageFullException.wrap(noRoom));
        batch = new Batch();
        return false;
      }
    } catch (Throwable defect) {
      deletion.fail(giveUp(defect));
    }
    return true;
  }

  /** Takes no more changes: another node has the object store. Any thread. */
  void fence(StoreFailedException taken) {
    failure = taken;
    stats.failed = true;
  }

  private StoreFailedException giveUp(Throwable cause) {
    StoreFailedException failed =
        new StoreFailedException(
            "the WAL failed (%s); the node serves reads only until it is restarted"
                .formatted(cause instanceof IOException ? cause.getMessage() : cause),
            cause);
    failure = failed;
    stats.failed = true;
    LOG.log(System.Logger.Level.ERROR, "the store takes no more changes", cause);
    Batch unsettled = batch;
    batch = new Batch();
    // Its frames may be durable: the next start needs what they name, and deletes the rest.
    unsettled.keepFiles();
    unsettled.fail(failed);
    return failed;
  }
}
