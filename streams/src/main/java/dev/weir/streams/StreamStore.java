package dev.weir.streams;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Durable streams in a directory. Any thread may call any method; only those of {@link Spool} and
 * {@link RangeReader} touch the disk on the caller's thread.
 *
 * <p>What was appended is in the WAL first, and is flushed to an object store from time to time.
 *
 * <p>An append is durable when its future completes normally, and visible to readers from then on.
 * A future fails with {@link StorageFullException} when the disk has no room, or with {@link
 * CatalogFullException} when the Java heap has none, which leaves everything as it was, and with
 * {@link StoreFailedException} when the store takes no more changes.
 */
public final class StreamStore implements AutoCloseable {
  /**
   * The largest body that may travel through the journal; larger ones go through a {@link Spool}.
   */
  public static final int MAX_INLINE_BYTES = 256 << 10;

  /** How often expired streams are looked for; they are invisible from the moment they expire. */
  private static final long SWEEP_SECONDS = 5;

  /** A stop ends within 30 s in all, whatever becomes of the object store. */
  private static final Duration FLUSH_AT_END = Duration.ofSeconds(15);

  private static final Duration FAILED_FLUSH_AT_END = Duration.ofSeconds(2);

  private static final Duration LOOK_AT_END = Duration.ofMillis(100);

  private static final Duration STORAGE_END = Duration.ofSeconds(2);

  private static final System.Logger LOG = System.getLogger(StreamStore.class.getName());

  private final StoreParts parts;
  private final Clock clock;
  private final Catalog catalog;
  private final AtomicLong ids;
  private final Unflushed unflushed;
  private final UnflushedLimits limits;
  private final Committer committer;
  private final Thread committerThread;
  private final Thread storageThread;
  private final ScheduledExecutorService janitor;
  private final Duration flushEvery;
  private final StoreStats stats;

  /** For the janitor's thread. */
  private CompletableFuture<Void> flushOfOld = CompletableFuture.completedFuture(null);

  private StreamStore(StoreParts parts, Clock clock, long catalogLimitBytes, StoreOptions options) {
    this.parts = parts;
    this.clock = clock;
    this.catalog = parts.catalog();
    this.ids = new AtomicLong(parts.found().nextId());
    this.unflushed = parts.unflushed();
    this.janitor = parts.janitor();
    this.stats = new StoreStats();
    this.flushEvery = options.flushEvery();
    long tailBytes = parts.tail().capacityBytes();
    Flusher flusher =
        new Flusher(
            parts.disk()::check,
            parts.journals(),
            unflushed,
            parts.storage(),
            ids,
            Math.min(options.flushBytes(), tailBytes / 2));
    this.limits =
        new UnflushedLimits(
            unflushed,
            options.maxUnflushedBytes(),
            UnflushedLimits.changes(2 * catalogLimitBytes),
            parts.storage()::state);
    Evaluator evaluator =
        new Evaluator(
            catalog, parts.journals(), unflushed, ids, clock, stats, catalogLimitBytes, limits);
    this.committer = new Committer(evaluator, parts.journals(), flusher, catalog, clock, stats);
    this.committerThread = Thread.ofPlatform().name("weir-committer").unstarted(committer);
    this.storageThread = Thread.ofPlatform().name("weir-storage").unstarted(parts.storage());
    parts.storage().listen(() -> committer.submit(new Command.Flushed()), committer::fence);
    stats.figures =
        new StoreStats.Figures(
            parts.journals()::bytes,
            unflushed::dataBytes,
            unflushed::ageNanos,
            parts.storage()::flushes,
            parts.storage()::flushedSegmentBytes,
            parts.storage()::compactedBytes,
            parts.storage()::compactionDebtBytes,
            parts.storage().scrub()::ageNanos,
            parts.storage().scrub()::damages,
            parts.store()::requests);
  }

  /**
   * Opens a data directory, created when it does not exist, and recovers what it holds; the object
   * store lies within. Whatever it throws, it leaves no file open and the directory to the next who
   * tries.
   *
   * @throws DataDirectoryException when it cannot be used, in one line
   */
  public static StreamStore open(Path directory, Disk disk, Clock clock) throws IOException {
    return open(directory, disk, clock, StoreOptions.embedded());
  }

  /**
   * As {@link #open(Path, Disk, Clock)}, with an object store and caches of the caller's choice.
   *
   * @throws DataDirectoryException also where the object store is another's, or damaged
   */
  public static StreamStore open(Path directory, Disk disk, Clock clock, StoreOptions options)
      throws IOException {
    // The other half is for everything else, a garbage collector's room to move included.
    return open(directory, disk, clock, Runtime.getRuntime().maxMemory() / 2, options);
  }

  /**
   * As {@link #open(Path, Disk, Clock, StoreOptions)}.
   *
   * @param catalogLimitBytes the most that streams and producers may take of the Java heap, about
   */
  static StreamStore open(
      Path directory, Disk disk, Clock clock, long catalogLimitBytes, StoreOptions options)
      throws IOException {
    StoreParts parts = StoreParts.open(new StoreLayout(directory), disk, clock, options);
    try {
      StreamStore store = new StreamStore(parts, clock, catalogLimitBytes, options);
      store.start();
      return store;
    } catch (Throwable notStarted) {
      parts.closeAfter(notStarted);
      throw notStarted;
    }
  }

  /** If it throws, nothing runs. */
  private void start() {
    try {
      // It never ends and never fails: there is nothing to wait for.
      ScheduledFuture<?> _ =
          janitor.scheduleWithFixedDelay(
              new ExpirySweep(catalog, clock, committer::submit, janitor),
              SWEEP_SECONDS,
              SWEEP_SECONDS,
              TimeUnit.SECONDS);
      ScheduledFuture<?> _ =
          janitor.scheduleWithFixedDelay(this::flushWhatIsOld, 1, 1, TimeUnit.SECONDS);
      storageThread.start();
      committerThread.start();
    } catch (Throwable noThread) {
      parts.storage().stop();
      throw noThread;
    }
  }

  private void flushWhatIsOld() {
    if (!flushOfOld.isDone()) {
      committer.submit(new Command.Flushed());
    } else if (unflushed.ageNanos() >= flushEvery.toNanos()) {
      flushOfOld = flush();
    }
  }

  /**
   * Has everything stored in the object store that was acknowledged before. Fails with {@link
   * StoreFailedException} where nothing is stored any more; while the store is away, it waits.
   */
  public CompletableFuture<Void> flush() {
    CompletableFuture<Void> answer = new CompletableFuture<>();
    committer.submit(new Command.Flush(answer));
    return answer;
  }

  /** Whether no flush is under way. */
  boolean isIdle() {
    return parts.storage().isIdle();
  }

  /** Which ownership of the object store this is: offsets of another may have had other bytes. */
  public long epoch() {
    return parts.recovered().session().owner().epoch();
  }

  /** The stream at a path; null when there is none, or it has expired. It may be soft-deleted. */
  public @Nullable Stream find(String path) {
    Stream stream = catalog.find(path);
    if (stream == null || (!stream.state().softDeleted() && stream.isExpired(clock.nowMillis()))) {
      return null;
    }
    return stream;
  }

  /** Starts a stream's idle time anew, unless it is over: what has expired does not come back. */
  public void touch(Stream stream) {
    long now = clock.nowMillis();
    if (!stream.isExpired(now)) {
      stream.touch(now);
    }
  }

  /**
   * As {@link Stream#await}. The stream's idle time begins when the wait ends, which is to be
   * cancelled also after the callback.
   */
  public Stream.Wait await(Stream stream, long offset, Runnable callback) {
    Stream.Wait wait = stream.await(offset, callback);
    return () -> {
      touch(stream);
      wait.cancel();
    };
  }

  /** Appends; takes the payload over, whatever comes of it. */
  public CompletableFuture<AppendOutcome> append(AppendRequest request, Payload payload) {
    CompletableFuture<AppendOutcome> answer = new CompletableFuture<>();
    committer.submit(new Command.Append(request, payload, answer));
    return answer;
  }

  /** Creates a stream with its first bytes; takes the payload over, whatever comes of it. */
  public CompletableFuture<CreateOutcome> create(CreateRequest request, Payload payload) {
    CompletableFuture<CreateOutcome> answer = new CompletableFuture<>();
    committer.submit(new Command.Create(request, payload, answer));
    return answer;
  }

  public CompletableFuture<DeleteOutcome> delete(String path) {
    CompletableFuture<DeleteOutcome> answer = new CompletableFuture<>();
    committer.submit(new Command.Delete(path, /* expiredOnly= */ false, answer));
    return answer;
  }

  /**
   * Whether an append would be refused as things stand, so that its body need not be taken; null
   * when not. The final word is {@link #append}'s.
   */
  public @Nullable AppendOutcome refuseEarly(
      Stream stream, AppendRequest request, boolean hasBytes) {
    // Looked at before the producer: an append that takes the last of either and then comes again
    // is a duplicate.
    boolean noProducer = stream.producers().size() >= Stream.MAX_PRODUCERS;
    ProducerTag tag = request.producer();
    ProducerState producer = tag == null ? null : stream.producer(tag.producerId());
    AppendOutcome refusal = AppendPolicy.refuse(stream.state(), producer, request, hasBytes);
    if (refusal == null && tag != null && producer == null && noProducer) {
      return new AppendOutcome.TooManyProducers(Stream.MAX_PRODUCERS);
    }
    return refusal;
  }

  /**
   * Whether a creation would be refused as things stand, wherever a fork's point turns out to lie;
   * null when not. The final word is {@link #create}'s.
   *
   * @param source what the fork's source path leads to; null for nothing, or no fork
   */
  public @Nullable CreateOutcome refuseEarly(CreateRequest request, @Nullable Stream source) {
    StreamState sourceState = source == null ? null : source.state();
    Stream existing = find(request.path());
    CreateRequest.ForkRequest asked = request.fork();
    // As the committer sees it: also one whose time is over.
    Stream known = asked == null ? null : catalog.find(asked.sourcePath());
    CreateOutcome taken =
        existing == null
            ? null
            : CreatePolicy.compare(existing.state(), request, known == null ? null : known.state());
    if (taken instanceof CreateOutcome.Exists) {
      return null;
    }
    CreateRequest earliest = request.atEarliest(sourceState);
    CreateOutcome refusal = CreatePolicy.refuseFork(sourceState, earliest);
    return refusal != null ? refusal : taken;
  }

  /** Why no change is taken, whatever it is, until the next start; null while they are. */
  public @Nullable StoreFailedException failure() {
    return committer.failure();
  }

  /** A place for a body too large for memory. */
  public Spool spool() {
    return new Spool(
        parts.disk(), parts.layout(), ids.getAndIncrement(), parts::deleteLater, stats, limits);
  }

  /** Reads {@code state}'s bytes from {@code fromOffset} up to {@code endOffset}. */
  public RangeReader read(StreamState state, long fromOffset, long endOffset) {
    if (fromOffset < 0 || fromOffset > endOffset || endOffset > state.tailOffset()) {
      throw new IllegalArgumentException(
          "no range of " + state.tailOffset() + " bytes: " + fromOffset + " to " + endOffset);
    }
    return new RangeReader(parts.path(), state, fromOffset, endOffset);
  }

  /**
   * The last offset up to another of the stream's where an append is known to have begun. Does not
   * block.
   */
  public long lastAppendStart(StreamState state, long offset) {
    return parts.path().lastAppendStart(state, offset);
  }

  public StoreStats stats() {
    return stats;
  }

  /**
   * Takes snapshots of what is flushed; one object for the life of the store.
   *
   * @throws IOException where objects are no local files
   */
  public StoreSnapshots snapshots() throws IOException {
    return StoreSnapshots.open(
        parts.store(), parts.recovered().manifests(), parts.storage(), stats);
  }

  public int streamCount() {
    return catalog.size();
  }

  /**
   * Settles what was submitted, flushes it so that the next start is quick, and lets go of the
   * directory. Where the object store does not take it in time, the WAL keeps it.
   */
  @Override
  public void close() throws IOException {
    flushInTime();
    committer.stop().join();
    parts.storage().stop();
    try {
      committerThread.join();
      if (!storageThread.join(STORAGE_END)) {
        // Ends the request that the thread waits for.
        parts.store().close();
        storageThread.join();
      }
      janitor.shutdown();
      // Deletions are bounded by the disk's speed alone.
      while (!janitor.awaitTermination(1, TimeUnit.MINUTES)) {
        LOG.log(System.Logger.Level.INFO, "waiting for the disk to delete files");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    try {
      if (committer.failure() == null) {
        parts.journals().current().markEnd();
      }
    } catch (IOException noRoom) {
      LOG.log(System.Logger.Level.WARNING, "the WAL ends without its mark", noRoom);
    } finally {
      parts.close();
    }
  }

  /** Waits for the store while it works, and briefly where it fails. */
  private void flushInTime() {
    CompletableFuture<Void> flush = flush();
    long start = System.nanoTime();
    String reason = null;
    while (reason == null) {
      try {
        flush.get(LOOK_AT_END.toMillis(), TimeUnit.MILLISECONDS);
        return;
      } catch (TimeoutException notYet) {
        long waited = System.nanoTime() - start;
        String trouble = parts.storage().trouble();
        if (waited > FLUSH_AT_END.toNanos()
            || (trouble != null && waited > FAILED_FLUSH_AT_END.toNanos())) {
          reason = parts.storage().state();
        }
      } catch (ExecutionException failed) {
        reason = String.valueOf(failed.getCause());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        reason = "interrupted";
      }
    }
    LOG.log(
        System.Logger.Level.WARNING,
        "{0} bytes are not flushed; the WAL has them ({1})",
        unflushed.dataBytes(),
        reason);
  }
}
