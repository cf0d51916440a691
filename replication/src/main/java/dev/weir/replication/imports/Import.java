package dev.weir.replication.imports;

import dev.weir.replication.imports.ImportRefusal.Why;
import dev.weir.replication.manifest.DataChunks;
import dev.weir.replication.manifest.DataChunks.DataChunk;
import dev.weir.replication.manifest.Entry;
import dev.weir.replication.manifest.ManifestReader;
import dev.weir.replication.manifest.SparseIndex;
import dev.weir.replication.manifest.Summary;
import dev.weir.replication.receive.Chunk;
import dev.weir.replication.receive.ImportDirectory;
import dev.weir.replication.receive.Plan;
import dev.weir.replication.receive.TargetTree;
import dev.weir.replication.receive.Unchanged;
import dev.weir.replication.transfer.Patience;
import dev.weir.replication.transfer.Progress;
import dev.weir.replication.tree.Chunks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A container that is being pushed. Chunks may come in any order and over many connections; each is
 * written by one of them at a time. Any thread.
 *
 * <pre>
 * CHECKING ──► OPEN ──► SYNCING ──► DONE
 *     │         │          │
 *     └─────────┴──────────┴──────► ENDED   cancelled, failed, or put aside for another attempt
 * </pre>
 *
 * <p>What is there is known by a bit for each chunk of data. Where a chunk lies is looked up in the
 * manifest, by an index of one file in 64.
 */
public final class Import {
  /** Where it is. */
  public enum State {
    /** The manifest is read, and what an earlier attempt has left. */
    CHECKING,
    /** Chunks may come. */
    OPEN,
    /** All have come, and are brought to the disk. */
    SYNCING,
    /** The container has its name. */
    DONE,
    /** Nothing more comes of it. */
    ENDED
  }

  /** Bytes of the container's space, both ends within. */
  public record Range(long first, long last) {}

  /**
   * What has not come.
   *
   * @param next where the list goes on; -1 when it is whole
   */
  public record Missing(List<Range> ranges, long next) {}

  private final String name;
  private final String tag;
  private final ImportOptions options;
  private final ImportFigures figures;
  private final Executor workers;
  private final Runnable onEnd;
  private final Progress progress = new Progress();
  private final CompletableFuture<Import> checked = new CompletableFuture<>();
  private final SparseIndex index = new SparseIndex();
  private final BitSet missing = new BitSet();
  private final BitSet taken = new BitSet();
  private State state = State.CHECKING;
  private String note = "";
  private boolean discards;
  private @Nullable ImportDirectory home;
  private @Nullable TargetTree tree;
  private Summary summary = Summary.EMPTY;
  private long wholeBytes;

  /** Parts, and a worker: what it holds is given back when they have left and it is over. */
  private int users = 1;

  private long usedNanos = System.nanoTime();

  /**
   * Has not begun.
   *
   * @param onEnd runs once, when it holds nothing any more
   */
  Import(
      String name,
      String tag,
      ImportOptions options,
      ImportFigures figures,
      Executor workers,
      Runnable onEnd) {
    this.name = name;
    this.tag = tag;
    this.options = options;
    this.figures = figures;
    this.workers = workers;
    this.onEnd = onEnd;
  }

  /** How it is named in requests: the same for the same content under the same name. */
  public String id() {
    return name + "-" + tag.substring(0, 16);
  }

  /** The name that the container gets. */
  public String name() {
    return name;
  }

  String tag() {
    return tag;
  }

  ImportFigures figures() {
    return figures;
  }

  /** Where it is. */
  public synchronized State state() {
    return state;
  }

  /** Whether somebody has cancelled it. */
  public synchronized boolean isCancelled() {
    return discards;
  }

  /** Why it has ended; empty before. */
  public synchronized String note() {
    return note;
  }

  /** How far it is. */
  public Progress progress() {
    return progress;
  }

  /** The length of the container's byte space; 0 until it is checked. */
  public synchronized long spaceBytes() {
    return summary.bytes();
  }

  /** When chunks may come, or why they may not. */
  public CompletableFuture<Import> checked() {
    return checked;
  }

  /** Reads the manifest, and what is there already. On a worker. */
  void check(Path posted, ByteBuffer buffer) {
    try {
      ImportDirectory taking = ImportDirectory.open(options.directory(), name);
      synchronized (this) {
        home = taking;
      }
      Files.move(
          posted, taking.partialManifest(), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
      ImportDirectory.Prepared prepared =
          taking.prepare(tag, /* earlier= */ null, options.freeBytes());
      TargetTree made = TargetTree.ofPush(taking.tree(), prepared.resumed());
      synchronized (this) {
        tree = made;
        summary = prepared.summary();
        wholeBytes = prepared.wholeBytes();
      }
      progress.total(prepared.summary().dataBytes());
      plan(taking, made, new Chunks(buffer));
      open();
      run(leave());
      checked.complete(this);
    } catch (Throwable e) {
      end(Patience.reason(e), /* discard= */ false);
      run(leave());
      checked.completeExceptionally(e);
    } finally {
      deleteQuietly(posted);
    }
  }

  private void plan(ImportDirectory taking, TargetTree made, Chunks chunks)
      throws IOException, InterruptedException {
    try (Plan plan =
        new Plan(
            ManifestReader.open(taking.manifest()),
            made,
            Unchanged.NONE,
            chunks,
            progress,
            Long.MAX_VALUE,
            index::add)) {
      List<Chunk> rest = plan.next();
      while (!rest.isEmpty()) {
        for (Chunk chunk : rest) {
          missing.set(Math.toIntExact(chunk.number()));
          chunk.file().giveBack();
        }
        made.rethrow();
        synchronized (this) {
          if (state != State.CHECKING) {
            throw gone();
          }
        }
        rest = plan.next();
      }
    }
    made.rethrow();
  }

  private synchronized void open() throws ImportRefusal {
    if (state != State.CHECKING) {
      throw gone();
    }
    state = State.OPEN;
    usedNanos = System.nanoTime();
    progress.begin(Progress.Step.BYTES);
  }

  private synchronized ImportRefusal gone() {
    return discards
        ? new ImportRefusal(Why.CANCELLED, "the import '%s' was cancelled".formatted(id()))
        : new ImportRefusal(
            Why.GONE,
            "the import '%s' has ended: %s; post its manifest again".formatted(id(), note));
  }

  /**
   * Takes the chunks of a range, so that nobody else brings them.
   *
   * @throws ImportRefusal when the range is not one of whole chunks, or somebody has one of them
   */
  public Part take(long first, long last) throws IOException {
    if (state() == State.SYNCING || state() == State.DONE) {
      return part(List.of(), new BitSet());
    }
    requireOpen();
    List<Chunk> chunks = chunks(first, last);
    synchronized (this) {
      if (state != State.OPEN) {
        return take(first, last);
      }
      BitSet wanted = new BitSet();
      long from = chunks.getFirst().number();
      for (Chunk chunk : chunks) {
        int number = Math.toIntExact(chunk.number());
        if (taken.get(number)) {
          throw new ImportRefusal(
              Why.BUSY,
              "another connection brings bytes of %d-%d; try again".formatted(first, last));
        }
        if (missing.get(number)) {
          wanted.set((int) (number - from));
        }
      }
      wanted.stream().forEach(i -> taken.set((int) (from + i)));
      Part part = part(chunks, wanted);
      chunks.forEach(chunk -> ((Part.Target) chunk.file()).belongsTo(part));
      return part;
    }
  }

  private synchronized Part part(List<Chunk> chunks, BitSet wanted) {
    users++;
    return new Part(this, chunks, wanted);
  }

  private List<Chunk> chunks(long first, long last) throws IOException {
    List<Chunk> chunks = new ArrayList<>();
    Part.Target file = null;
    long end = first;
    try (DataChunks all = new DataChunks(manifest(), index.before(first))) {
      for (DataChunk next = all.next();
          next != null && next.spaceOffset() <= last;
          next = all.next()) {
        if (next.spaceEnd() <= first) {
          continue;
        }
        if (next.spaceOffset() != end || chunks.size() == Plan.MOST_CHUNKS) {
          break;
        }
        if (file == null || !file.entry().equals(next.entry())) {
          file = new Part.Target(next.entry());
        }
        end = next.spaceEnd();
        chunks.add(
            new Chunk(
                file,
                next.number(),
                next.spaceOffset(),
                next.fileOffset(),
                next.bytes(),
                next.crc()));
      }
    }
    if (chunks.isEmpty() || end != last + 1) {
      throw new ImportRefusal(
          Why.RANGE,
          ("bytes %d-%d are not whole chunks: 1 MiB each, or the rest of a file, at most %d at"
                  + " once, and no holes")
              .formatted(first, last, Plan.MOST_CHUNKS));
    }
    return chunks;
  }

  private synchronized Path manifest() throws ImportRefusal {
    if (home == null) {
      throw gone();
    }
    return home.manifest();
  }

  /**
   * Lists what has not come of a range, chunks that are on their way included. Reads the manifest.
   *
   * @param most ranges
   */
  public Missing missing(long first, long last, int most) throws IOException {
    BitSet rest;
    synchronized (this) {
      if (state != State.OPEN) {
        return new Missing(List.of(), -1);
      }
      rest = (BitSet) missing.clone();
    }
    List<Range> ranges = new ArrayList<>();
    long begin = -1;
    long end = -1;
    try (DataChunks all = new DataChunks(manifest(), index.before(first))) {
      for (DataChunk next = all.next();
          next != null && next.spaceOffset() <= last;
          next = all.next()) {
        if (next.spaceEnd() <= first || !rest.get((int) next.number())) {
          continue;
        }
        if (begin >= 0 && next.spaceOffset() == end) {
          end = next.spaceEnd();
          continue;
        }
        if (begin >= 0) {
          ranges.add(new Range(begin, end - 1));
        }
        if (ranges.size() == most) {
          return new Missing(ranges, next.spaceOffset());
        }
        begin = next.spaceOffset();
        end = next.spaceEnd();
      }
    }
    if (begin >= 0) {
      ranges.add(new Range(begin, end - 1));
    }
    return new Missing(ranges, -1);
  }

  FileChannel reopen(Entry entry) throws IOException {
    TargetTree now;
    synchronized (this) {
      now = tree;
    }
    if (now == null) {
      throw gone();
    }
    return now.reopen(entry);
  }

  void requireOpen() throws ImportRefusal {
    synchronized (this) {
      if (state == State.ENDED) {
        throw gone();
      }
      if (state == State.CHECKING) {
        throw new ImportRefusal(
            Why.NOT_NOW, "the import '%s' is being checked; ask for it again".formatted(id()));
      }
    }
  }

  synchronized void verified(Chunk chunk) {
    int number = (int) chunk.number();
    missing.clear(number);
    taken.clear(number);
    progress.verified(chunk.bytes());
    figures.verified(chunk.bytes());
  }

  void left(long firstNumber, BitSet untaken) {
    synchronized (this) {
      untaken.stream().forEach(i -> taken.clear((int) (firstNumber + i)));
    }
    Runnable next = leave();
    if (next != null) {
      workers.execute(next);
    }
  }

  /** One user less: the last one finishes it, or gives back what it holds. */
  private synchronized @Nullable Runnable leave() {
    usedNanos = System.nanoTime();
    if (--users > 0) {
      return null;
    }
    if (state == State.OPEN && missing.isEmpty()) {
      state = State.SYNCING;
      users++;
      return this::finish;
    }
    return state == State.DONE || state == State.ENDED ? this::release : null;
  }

  private static void run(@Nullable Runnable next) {
    if (next != null) {
      next.run();
    }
  }

  private void finish() {
    try {
      ImportDirectory directory;
      TargetTree whole;
      synchronized (this) {
        directory = home;
        whole = tree;
      }
      if (directory == null || whole == null) {
        throw gone();
      }
      progress.begin(Progress.Step.SYNC);
      whole.finish(directory.manifest());
      directory.publish();
      synchronized (this) {
        state = State.DONE;
      }
      progress.begin(Progress.Step.DONE);
      figures.done();
    } catch (Throwable e) {
      end(Patience.reason(e), /* discard= */ false);
    } finally {
      run(leave());
    }
  }

  /** Tells the disk's accounts what is written, and puts it aside when nobody brings anything. */
  void tick() throws IOException {
    boolean idle;
    synchronized (this) {
      if (state != State.OPEN || home == null) {
        return;
      }
      home.room(Math.max(0, wholeBytes - progress.verifiedBytes()));
      idle = users == 0 && System.nanoTime() - usedNanos > options.progressLimit().toNanos();
    }
    if (idle) {
      end("nobody brought anything; what has come is kept", /* discard= */ false);
    }
  }

  /**
   * Ends it, and removes what has come.
   *
   * @throws ImportRefusal when all has come, and is being brought to the disk
   */
  void cancel() throws ImportRefusal {
    if (state() == State.SYNCING) {
      throw new ImportRefusal(
          Why.NOT_NOW, "all of '%s' has come; it gets its name now".formatted(id()));
    }
    end("it was cancelled", /* discard= */ true);
  }

  /** Ends it where it has not ended. Whoever works in its tree leaves it at the next byte. */
  synchronized void end(String reason, boolean discard) {
    if (state == State.DONE || state == State.ENDED) {
      return;
    }
    state = State.ENDED;
    note = reason;
    discards = discard;
    if (users == 0) {
      workers.execute(this::release);
    }
  }

  private void release() {
    ImportDirectory directory;
    TargetTree left;
    boolean discard;
    synchronized (this) {
      directory = home;
      left = tree;
      discard = discards;
      home = null;
      tree = null;
    }
    try (directory) {
      if (left != null) {
        left.close();
      }
      if (directory != null && discard) {
        directory.discard();
      }
    } catch (IOException e) {
      System.getLogger(Import.class.getName())
          .log(System.Logger.Level.WARNING, "the import of " + name + " leaves something", e);
    }
    onEnd.run();
  }

  private static void deleteQuietly(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      System.getLogger(Import.class.getName())
          .log(System.Logger.Level.WARNING, "cannot remove " + file, e);
    }
  }
}
