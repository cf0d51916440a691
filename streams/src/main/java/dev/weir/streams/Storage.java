package dev.weir.streams;

import dev.weir.cache.log.CachedBatch;
import dev.weir.cache.log.LogRead;
import dev.weir.streams.compaction.Compactor;
import dev.weir.streams.flush.Flush;
import dev.weir.streams.flush.FrozenChanges;
import dev.weir.streams.flush.StreamChange;
import dev.weir.streams.flush.Upkeep;
import dev.weir.streams.manifest.DeadSegments;
import dev.weir.streams.manifest.FencedException;
import dev.weir.streams.objects.ObjectContent.InMemory;
import dev.weir.streams.objects.ObjectContent.Part;
import dev.weir.streams.objects.ObjectStore;
import dev.weir.streams.recovery.StoreRecovery;
import dev.weir.streams.segments.SegmentReaders;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The one thread that writes to the object store: flushes, what follows them, and compaction while
 * there is nothing to flush.
 *
 * <p>A flush that fails is tried again, the same one, until it succeeds or the store is closed. The
 * WAL keeps its content meanwhile.
 */
final class Storage implements Runnable {
  private static final long FIRST_RETRY_MILLIS = 500;
  private static final long MAX_RETRY_MILLIS = 10_000;

  /** How often there is a look at what has become due without a flush. */
  private static final long IDLE_MILLIS = 1_000;

  /** On S3 other readers may still have a segment's name. */
  private static final long REMOTE_DELETE_DELAY_MILLIS = TimeUnit.MINUTES.toMillis(10);

  /** After an error, so that a store that is away is not asked all the time. */
  private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(30);

  private static final System.Logger LOG = System.getLogger(Storage.class.getName());

  private final ObjectStore store;
  private final StoreRecovery.Recovered recovered;
  private final SegmentReaders readers;
  private final TailCache tail;
  private final Check check;
  private final Consumer<Unflushed.Frozen> onFlushed;
  private final LongSupplier nowMillis;
  private final Compactor compactor;
  private final Upkeep upkeep;
  private final DeadSegments dead;
  private final Scrub scrub;
  private Runnable onIdle = () -> {};
  private Consumer<StoreFailedException> onFenced = taken -> {};
  private volatile @Nullable String trouble;
  private volatile long flushSinceNanos;
  private final LongAdder flushes = new LongAdder();
  private final LongAdder flushedSegmentBytes = new LongAdder();
  private volatile long compactedBytes;
  private volatile long compactionDebtBytes;
  private volatile long lastCommit;

  /** Under this object's lock. */
  private @Nullable Job waiting;

  /** Under this object's lock. */
  private final Deque<Errand> errands = new ArrayDeque<>();

  private volatile boolean idle = true;
  private long restUntilNanos = System.nanoTime();
  private boolean stopped;

  /** Comes before whatever is stored. */
  interface Check {
    void run() throws IOException;
  }

  private record Job(Unflushed.Frozen frozen, List<CompletableFuture<Void>> answers) {}

  private record Errand(Check work, CompletableFuture<Void> done) {}

  /**
   * Over a store that a start has recovered.
   *
   * @param check fails where nothing may be stored now
   * @param onFlushed told on this thread when a commit has what was frozen
   * @param scrub what it is to verify again
   */
  Storage(
      ObjectStore store,
      StoreRecovery.Recovered recovered,
      SegmentReaders readers,
      TailCache tail,
      Check check,
      Consumer<Unflushed.Frozen> onFlushed,
      Scrub scrub,
      LongSupplier nowMillis) {
    this.store = store;
    this.recovered = recovered;
    this.readers = readers;
    this.tail = tail;
    this.check = check;
    this.onFlushed = onFlushed;
    this.scrub = scrub;
    this.nowMillis = nowMillis;
    this.compactor =
        new Compactor(store, recovered.log(), readers, Flush.MAX_SEGMENT_BYTES, nowMillis);
    boolean isLocal = store.localFile("owner") != null;
    this.dead =
        new DeadSegments(
            store, recovered.manifests(), readers, isLocal ? 0 : REMOTE_DELETE_DELAY_MILLIS);
    this.upkeep = new Upkeep(recovered.log(), recovered.manifestWriter(), dead);
  }

  /**
   * Whom to tell; before the thread starts.
   *
   * @param idleAgain the next flush may be handed over
   * @param fenced another node has the store
   */
  void listen(Runnable idleAgain, Consumer<StoreFailedException> fenced) {
    onIdle = idleAgain;
    onFenced = fenced;
  }

  /** Whether {@link #flush} may be called. */
  boolean isIdle() {
    return idle;
  }

  /** Why the newest flush is not through yet; null where nothing is wrong. */
  @Nullable String trouble() {
    return trouble;
  }

  /** What becomes of the newest flush, for people. */
  String state() {
    String reason = trouble;
    if (reason != null) {
      return reason;
    }
    long since = flushSinceNanos;
    return idle
        ? "the next flush has not begun"
        : "a flush has been under way for %d s"
            .formatted(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - since));
  }

  Scrub scrub() {
    return scrub;
  }

  /** The newest commit, as of a moment ago. */
  long lastCommit() {
    return lastCommit;
  }

  /** How many flushes are through since the start. */
  long flushes() {
    return flushes.sum();
  }

  /** Bytes of segments that flushes have written. */
  long flushedSegmentBytes() {
    return flushedSegmentBytes.sum();
  }

  /** Bytes of segments that compaction has written. */
  long compactedBytes() {
    return compactedBytes;
  }

  /** Bytes that compaction is to write again. */
  long compactionDebtBytes() {
    return compactionDebtBytes;
  }

  /**
   * Takes over what is to be flushed; one at a time.
   *
   * @param answers completed when it is
   */
  synchronized void flush(Unflushed.Frozen frozen, List<CompletableFuture<Void>> answers) {
    if (!idle) {
      throw new IllegalStateException("a flush is under way");
    }
    flushSinceNanos = System.nanoTime();
    idle = false;
    waiting = new Job(frozen, answers);
    notifyAll();
  }

  /** Runs something short on this thread, between two changes of what is stored. */
  CompletableFuture<Void> between(Check work) {
    Errand errand = new Errand(work, new CompletableFuture<>());
    synchronized (this) {
      if (stopped) {
        errand.done().completeExceptionally(new StoreFailedException("the store is closed"));
      } else {
        errands.add(errand);
        notifyAll();
      }
    }
    return errand.done();
  }

  private synchronized @Nullable Errand nextErrand() {
    return errands.poll();
  }

  private void runErrands() {
    for (Errand errand = nextErrand(); errand != null; errand = nextErrand()) {
      try {
        if (isStopped()) {
          throw new StoreFailedException("the store is closed");
        }
        errand.work().run();
        errand.done().complete(null);
      } catch (IOException | RuntimeException failure) {
        errand.done().completeExceptionally(failure);
      }
    }
  }

  /** Has the thread end: after the request that is under way, without what is not through. */
  synchronized void stop() {
    stopped = true;
    notifyAll();
  }

  @Override
  public void run() {
    boolean busy = true;
    while (true) {
      lastCommit = recovered.manifests().lastSequence();
      Job job = next(busy ? 0 : IDLE_MILLIS);
      runErrands();
      if (isStopped()) {
        runErrands(); // Tells those that came last.
        if (job != null) {
          fail(
              job,
              new StoreFailedException("the store is closed; the WAL has what is not flushed"));
        }
        return;
      }
      if (job != null) {
        settle(job);
        busy = true;
      } else {
        busy = improve();
      }
    }
  }

  private synchronized boolean isStopped() {
    return stopped;
  }

  private synchronized @Nullable Job next(long waitMillis) {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(waitMillis);
    while (waiting == null && errands.isEmpty() && !stopped && System.nanoTime() - deadline < 0) {
      pause(deadline);
    }
    Job job = waiting;
    waiting = null;
    return job;
  }

  private synchronized boolean isStoppedWithin(long millis) {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    while (!stopped && System.nanoTime() - deadline < 0) {
      pause(deadline);
    }
    return stopped;
  }

  /** With the monitor, until something happens or the time has come; callers look again. */
  @SuppressWarnings("WaitNotInLoop")
  private void pause(long deadlineNanos) {
    try {
      wait(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime())));
    } catch (InterruptedException e) {
      // Nobody but a defect interrupts this thread.
      LOG.log(System.Logger.Level.DEBUG, "the storage thread was interrupted", e);
    }
  }

  private void settle(Job job) {
    try {
      flush(job);
    } catch (FencedException taken) {
      StoreFailedException reason =
          new StoreFailedException(String.valueOf(taken.getMessage()), taken);
      LOG.log(
          System.Logger.Level.ERROR,
          "{0}; not flushed, and kept in the WAL: {1} bytes",
          taken.getMessage(),
          job.frozen().changes().dataBytes());
      onFenced.accept(reason);
      fail(job, reason);
    } catch (Throwable defect) {
      LOG.log(
          System.Logger.Level.ERROR, "a flush failed for good; the WAL keeps everything", defect);
      StoreFailedException reason =
          new StoreFailedException(
              "a flush failed (%s); the node serves reads only until it is restarted"
                  .formatted(defect),
              defect);
      onFenced.accept(reason);
      fail(job, reason);
    }
  }

  private static void fail(Job job, StoreFailedException reason) {
    job.answers().forEach(answer -> answer.completeExceptionally(reason));
  }

  private void flush(Job job) throws IOException {
    List<LogRead> held = new ArrayList<>();
    try {
      Flush flush =
          new Flush(
              store,
              recovered.log(),
              readers,
              fromMemory(job.frozen().changes(), held),
              Flush.MAX_SEGMENT_BYTES,
              nowMillis);
      Flush.Result result = attempt(flush);
      if (result == null) {
        fail(job, new StoreFailedException("the store is closed; the WAL has what is not flushed"));
        return;
      }
      compactor.flushed(result.segmentBytes());
      flushedSegmentBytes.add(result.segmentBytes());
      lastCommit = result.commit().sequence();
    } finally {
      held.forEach(LogRead::close);
    }
    flushes.increment();
    onFlushed.accept(job.frozen());
    idle = true;
    job.answers().forEach(answer -> answer.complete(null));
    onIdle.run();
    try {
      upkeep.afterFlush(nowMillis.getAsLong());
    } catch (IOException later) {
      LOG.log(
          System.Logger.Level.WARNING,
          "what follows a flush failed, and is made up for by the next: {0}",
          later.getMessage());
    }
  }

  /** Tries until it is through; null where the thread is to end before. */
  private Flush.@Nullable Result attempt(Flush flush) throws IOException {
    for (long delay = FIRST_RETRY_MILLIS; ; delay = Math.min(2 * delay, MAX_RETRY_MILLIS)) {
      try {
        check.run();
        Flush.Result result = flush.attempt();
        if (trouble != null) {
          LOG.log(System.Logger.Level.INFO, "the object store takes flushes again");
        }
        trouble = null;
        return result;
      } catch (FencedException taken) {
        throw taken;
      } catch (IOException failure) {
        String reason = String.valueOf(failure.getMessage());
        LOG.log(
            System.Logger.Level.WARNING,
            "a flush failed and is tried again in {0} ms; the WAL keeps its bytes: {1}",
            delay,
            reason);
        trouble = reason;
      }
      if (isStoppedWithin(delay)) {
        return null;
      }
    }
  }

  /** The same changes, with bytes in memory where the tail has all of a stream's. */
  private FrozenChanges fromMemory(FrozenChanges changes, List<LogRead> held) {
    List<StreamChange> changed = new ArrayList<>(changes.changes().size());
    for (StreamChange change : changes.changes()) {
      changed.add(change.bytes().isEmpty() ? change : fromMemory(change, held));
    }
    return new FrozenChanges(changes.walPosition(), changes.nextStreamId(), changed);
  }

  private StreamChange fromMemory(StreamChange change, List<LogRead> held) {
    LogRead read =
        tail.read(change.streamId(), change.startOffset(), change.tailOffset(), Long.MAX_VALUE);
    held.add(read);
    if (read.kind() != LogRead.Kind.HIT
        || read.batches().getFirst().baseOffset() != change.startOffset()
        || read.batches().getLast().endOffset() != change.tailOffset()) {
      return change;
    }
    List<Part> parts = new ArrayList<>(read.batches().size());
    for (CachedBatch batch : read.batches()) {
      parts.add(new InMemory(batch.bytes().segment()));
    }
    return change.withBytes(parts);
  }

  /** Does a piece of what makes reads and starts cheaper; false where there is nothing to do. */
  private boolean improve() {
    if (System.nanoTime() - restUntilNanos < 0) {
      return false;
    }
    try {
      boolean merged = compactor.step();
      compactedBytes = compactor.written().compactedBytes();
      compactionDebtBytes = compactor.debtBytes();
      int _ = dead.deleteDue(nowMillis.getAsLong());
      return merged || scrub.step();
    } catch (FencedException taken) {
      onFenced.accept(new StoreFailedException(String.valueOf(taken.getMessage()), taken));
      return false;
    } catch (IOException later) {
      LOG.log(
          System.Logger.Level.WARNING,
          "compaction failed, and is tried again: {0}",
          later.getMessage());
    } catch (RuntimeException defect) {
      LOG.log(System.Logger.Level.ERROR, "compaction failed", defect);
    }
    restUntilNanos = System.nanoTime() + REST_NANOS;
    return false;
  }
}
