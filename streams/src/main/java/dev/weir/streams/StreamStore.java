package dev.weir.streams;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Durable streams in a directory. Any thread may call any method; only those of {@link Spool} and
 * {@link RangeReader} touch the disk on the caller's thread.
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

  private static final System.Logger LOG = System.getLogger(StreamStore.class.getName());

  private final SameDirectories disk;
  private final StoreLayout layout;
  private final Clock clock;
  private final NodeLock lock;
  private final Catalog catalog;
  private final AtomicLong ids;
  private final JournalSeries journals;
  private final OpenFiles files;
  private final Committer committer;
  private final Thread committerThread;
  private final ScheduledExecutorService janitor;
  private final StoreStats stats = new StoreStats();

  private StreamStore(
      SameDirectories disk,
      StoreLayout layout,
      Clock clock,
      NodeLock lock,
      Recovery.Result found,
      Journal journal,
      ByteBuffer buffer,
      long catalogLimitBytes) {
    this.disk = disk;
    this.layout = layout;
    this.clock = clock;
    this.lock = lock;
    this.catalog = found.catalog();
    this.ids = new AtomicLong(found.nextId());
    this.janitor =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("weir-janitor").daemon().factory());
    this.journals =
        new JournalSeries(disk, layout, ids, janitor, buffer, journal, found.dirtyFiles());
    this.files = new OpenFiles(disk, layout);
    Evaluator evaluator =
        new Evaluator(
            catalog, journals, files, ids, clock, stats, this::deleteLater, catalogLimitBytes);
    this.committer = new Committer(evaluator, journals, catalog, clock, stats);
    this.committerThread = Thread.ofPlatform().name("weir-committer").unstarted(committer);
  }

  /**
   * Opens a data directory, created when it does not exist, and recovers what it holds. Whatever it
   * throws, it leaves no file open and the directory to the next who tries.
   *
   * @throws DataDirectoryException when it cannot be used, in one line
   */
  public static StreamStore open(Path directory, Disk disk, Clock clock) throws IOException {
    // The other half is for everything else, a garbage collector's room to move included.
    return open(directory, disk, clock, Runtime.getRuntime().maxMemory() / 2);
  }

  /**
   * As {@link #open(Path, Disk, Clock)}.
   *
   * @param catalogLimitBytes the most that streams and producers may take of the Java heap, about
   */
  static StreamStore open(Path directory, Disk disk, Clock clock, long catalogLimitBytes)
      throws IOException {
    StoreLayout layout = new StoreLayout(directory);
    DataDirectory.make(disk, layout);
    NodeLock lock = NodeLock.acquire(layout);
    try {
      SameDirectories same = SameDirectories.open(disk, layout);
      try {
        return recover(same, layout, clock, lock, catalogLimitBytes);
      } catch (Throwable notRecovered) {
        closeAfter(notRecovered, same);
        throw notRecovered;
      }
    } catch (Throwable notOpened) {
      closeAfter(notOpened, lock);
      throw notOpened;
    }
  }

  private static StreamStore recover(
      SameDirectories disk, StoreLayout layout, Clock clock, NodeLock lock, long catalogLimitBytes)
      throws IOException {
    Recovery.Result found = Recovery.run(disk, layout, clock.nowMillis());
    ByteBuffer buffer = JournalSeries.newBuffer();
    Journal journal = openJournal(disk, layout, found, buffer);
    try {
      StreamStore store =
          new StreamStore(disk, layout, clock, lock, found, journal, buffer, catalogLimitBytes);
      store.start();
      return store;
    } catch (Throwable notStarted) {
      closeAfter(notStarted, journal);
      throw notStarted;
    }
  }

  /** The error that is told stays the first one. */
  private static void closeAfter(Throwable failure, Closeable held) {
    try {
      held.close();
    } catch (Throwable notClosed) {
      failure.addSuppressed(notClosed);
    }
  }

  private static Journal openJournal(
      Disk disk, StoreLayout layout, Recovery.Result found, ByteBuffer buffer) throws IOException {
    if (found.journalBytes() > 0) {
      return Journal.resume(
          disk, layout, found.journalSequence(), found.journalMark(), found.journalBytes(), buffer);
    }
    return Journal.create(disk, layout, Math.max(1, found.journalSequence()), buffer);
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
      committerThread.start();
    } catch (Throwable noThread) {
      janitor.shutdownNow();
      throw noThread;
    }
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
   *
   * @param leastBytes how many bytes it has at least; up to {@link #MAX_INLINE_BYTES} they may
   *     travel through the journal
   */
  public @Nullable AppendOutcome refuseEarly(
      Stream stream, AppendRequest request, boolean hasBytes, long leastBytes) {
    // Looked at before the producer: an append that takes the last of either and then comes again
    // is a duplicate.
    boolean noProducer = stream.producers().size() >= Stream.MAX_PRODUCERS;
    boolean noSegment =
        SegmentPolicy.refuses(stream.state(), leastBytes, leastBytes <= MAX_INLINE_BYTES);
    ProducerTag tag = request.producer();
    ProducerState producer = tag == null ? null : stream.producer(tag.producerId());
    AppendOutcome refusal = AppendPolicy.refuse(stream.state(), producer, request, hasBytes);
    if (refusal == null && tag != null && producer == null && noProducer) {
      return new AppendOutcome.TooManyProducers(Stream.MAX_PRODUCERS);
    }
    return refusal == null && noSegment
        ? new AppendOutcome.TooManySegments(StreamState.MAX_SEGMENTS)
        : refusal;
  }

  /**
   * Whether a creation would be refused as things stand, wherever a fork's point turns out to lie;
   * null when not. The final word is {@link #create}'s.
   *
   * @param source what the fork's source path leads to; null for nothing, or no fork
   * @param hasBytes whether it has a body for certain
   */
  public @Nullable CreateOutcome refuseEarly(
      CreateRequest request, @Nullable Stream source, boolean hasBytes) {
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
    if (refusal != null || taken != null) {
      return refusal != null ? refusal : taken;
    }
    CreateRequest.ForkRequest fork = earliest.fork();
    return fork != null
            && sourceState != null
            && SegmentPolicy.refusesFork(sourceState, fork.pointOffset(), hasBytes)
        ? new CreateOutcome.TooManySegments(StreamState.MAX_SEGMENTS)
        : null;
  }

  /** Why no change is taken, whatever it is, until the next start; null while they are. */
  public @Nullable StoreFailedException failure() {
    return committer.failure();
  }

  /** A place for a body too large for memory. */
  public Spool spool() {
    return new Spool(disk, layout, ids.getAndIncrement(), this::deleteLater, stats);
  }

  /** Reads {@code state}'s bytes from {@code fromOffset} up to {@code endOffset}. */
  public RangeReader read(StreamState state, long fromOffset, long endOffset) {
    if (fromOffset < 0 || fromOffset > endOffset || endOffset > state.tailOffset()) {
      throw new IllegalArgumentException(
          "no range of " + state.tailOffset() + " bytes: " + fromOffset + " to " + endOffset);
    }
    return new RangeReader(disk, layout, state, fromOffset, endOffset);
  }

  public StoreStats stats() {
    return stats;
  }

  public int streamCount() {
    return catalog.size();
  }

  /** Settles what was submitted, makes the next start quick, and lets go of the directory. */
  @Override
  public void close() throws IOException {
    committer.stop().join();
    janitor.shutdown();
    try {
      committerThread.join();
      // Deletions and a running checkpoint are bounded by the disk's speed alone.
      while (!janitor.awaitTermination(1, TimeUnit.MINUTES)) {
        LOG.log(System.Logger.Level.INFO, "waiting for the disk to finish a checkpoint");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    files.close();
    journals.close();
    disk.close();
    lock.close();
  }

  /**
   * Deleting a large file takes the file system a while: never on the committer's thread. A store
   * that is closed leaves it to the next start.
   */
  private void deleteLater(long fileId) {
    try {
      janitor.execute(() -> delete(fileId));
    } catch (RejectedExecutionException closed) {
      LOG.log(System.Logger.Level.DEBUG, "a segment stays until the next start", closed);
    }
  }

  private void delete(long fileId) {
    try {
      disk.delete(layout.segment(fileId));
    } catch (Throwable e) {
      LOG.log(
          System.Logger.Level.WARNING, "cannot delete a segment; the next start tries again", e);
    }
  }
}
