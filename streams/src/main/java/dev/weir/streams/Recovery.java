package dev.weir.streams;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Brings a data directory back to what was acknowledged: the newest snapshot, then the journals
 * from its number on. Bytes that travelled through a journal are written to their segments again.
 * The last journal may end torn, in what nobody was told of: that is cut off. One that another
 * follows is whole, even if that was only begun, for {@link JournalSeries} writes to none once
 * there may be a next one; and one that a snapshot, or anything stored, shows to have been durable
 * has its header. Anything else that does not fit is damage, and the node does not start on it;
 * {@link JournalEnd} tells them apart.
 *
 * <p>What nobody can tell is a last journal that was cut at the end of a batch: nothing else says
 * how many it had. A header alone is what a node leaves that was idle since its snapshot.
 */
final class Recovery {
  private final Disk disk;
  private final StoreLayout layout;
  private final long nowMillis;
  private final Catalog catalog = new Catalog();
  private final OpenFiles files;
  private final Set<Long> dirtyFiles = new HashSet<>();
  private long nextId = 1;
  private SyncMark journalMark = SyncMark.WITHOUT_KEY;
  private long journalBytes;

  private Recovery(Disk disk, StoreLayout layout, long nowMillis) {
    this.disk = disk;
    this.layout = layout;
    this.nowMillis = nowMillis;
    this.files = new OpenFiles(disk, layout);
  }

  /**
   * What was found.
   *
   * @param nextId above every number in use
   * @param journalSequence the journal to go on with; 0 when there is none yet
   * @param journalMark what its batches begin with
   * @param journalBytes its whole frames
   * @param dirtyFiles segments whose newest bytes may be in journals only
   */
  record Result(
      Catalog catalog,
      long nextId,
      long journalSequence,
      SyncMark journalMark,
      long journalBytes,
      Set<Long> dirtyFiles) {}

  static Result run(Disk disk, StoreLayout layout, long nowMillis) throws IOException {
    Recovery recovery = new Recovery(disk, layout, nowMillis);
    try {
      return recovery.recover();
    } finally {
      recovery.files.close();
    }
  }

  private Result recover() throws IOException {
    TreeSet<Long> journals = new TreeSet<>();
    TreeSet<Long> snapshots = new TreeSet<>();
    for (Path file : disk.list(layout.journalDirectory())) {
      OptionalLong journal = StoreLayout.journalSequence(file);
      OptionalLong snapshot = StoreLayout.snapshotSequence(file);
      if (journal.isPresent()) {
        journals.add(journal.getAsLong());
      } else if (snapshot.isPresent()) {
        snapshots.add(snapshot.getAsLong());
      } else if (file.toString().endsWith(StoreLayout.TEMPORARY)) {
        disk.delete(file);
      }
    }
    long sequence = snapshots.isEmpty() ? 1 : snapshots.last();
    if (!snapshots.isEmpty()) {
      load(Snapshot.read(disk, layout, sequence));
    }
    replayFrom(sequence, proof(!snapshots.isEmpty()), journals);
    for (long journal : journals.tailSet(sequence)) {
      restoreSegments(journal);
    }
    if (journalBytes > 0) {
      settleJournal(journals.last());
    }
    checkSegments();
    deleteOrphans();
    return new Result(
        catalog,
        nextId,
        journals.isEmpty() ? 0 : journals.last(),
        journalMark,
        journalBytes,
        dirtyFiles);
  }

  private void load(Snapshot.Contents snapshot) {
    nextId = snapshot.nextId();
    for (Checkpoint.Entry entry : snapshot.streams()) {
      Stream stream = new Stream(entry.state(), nowMillis);
      catalog.add(stream);
      catalog.update(stream, entry.state(), entry.producers());
    }
  }

  /**
   * What shows that the first journal was durable once, for it is before there is a snapshot of its
   * number, and before anything is stored; null for nothing.
   */
  private @Nullable String proof(boolean hasSnapshot) throws IOException {
    if (hasSnapshot) {
      return "its snapshot exists";
    }
    for (int shard = 0; shard < StoreLayout.SHARDS; shard++) {
      for (Path file : disk.list(layout.shard(shard))) {
        if (StoreLayout.fileId(file).isPresent()) {
          return file + " was stored after it";
        }
      }
    }
    return null;
  }

  private void replayFrom(long first, @Nullable String proof, SortedSet<Long> journals)
      throws IOException {
    long expected = first;
    for (long sequence : journals.tailSet(first)) {
      if (sequence != expected) {
        throw missing(expected, "later journals exist");
      }
      boolean last = sequence == journals.last();
      replay(sequence, last, /* mayBeBegun= */ last && (sequence > first || proof == null));
      expected++;
    }
    if (expected == first && proof != null) {
      throw missing(first, proof);
    }
  }

  private DataDirectoryException missing(long sequence, String proof) {
    return new DataDirectoryException(
        layout.journal(sequence)
            + " is missing, but "
            + proof
            + "; restore the data directory from a copy");
  }

  private void replay(long sequence, boolean last, boolean mayBeBegun) throws IOException {
    Path path = layout.journal(sequence);
    try (DiskFile file = disk.openForReading(path)) {
      FrameReader in = new FrameReader(file, 0);
      ByteBuffer header = in.next();
      if (header == null && mayBeBegun && in.sizeBytes() <= Journal.headerBytes()) {
        // The crash came while the journal was being made: it holds nothing yet.
        journalBytes = 0;
        return;
      }
      if (header == null) {
        throw JournalEnd.damage(path, in.position());
      }
      SyncMark mark = Journal.readHeader(header, sequence);
      if (mark == null) {
        throw new DataDirectoryException(
            path + " is no journal that this version of weir can read");
      }
      forEach(in, mark, path, this::apply);
      if (in.isTorn() && !last) {
        throw JournalEnd.damage(path, in.position());
      }
      JournalEnd.check(path, file, in.position(), in.sizeBytes(), mark);
      journalMark = mark;
      journalBytes = in.position();
    }
  }

  /**
   * Makes what was replayed durable, which it need not be after a kill, and cuts off the torn end:
   * what is deleted next is not to be missed after a loss of power. What a failed sync could not
   * write the kernel never tries again; so what no sync may have covered is written once more. The
   * kill may also have come before the journal's name was durable, on which all rests from now on.
   */
  private void settleJournal(long sequence) throws IOException {
    try (DiskFile file = disk.open(layout.journal(sequence))) {
      file.truncate(journalBytes);
      long from = Math.max(0, journalBytes - Committer.MAX_UNSYNCED_BYTES);
      ByteBuffer end = FrameReader.read(file, from, Math.toIntExact(journalBytes - from));
      if (end != null) {
        file.write(end, from);
      }
      file.sync();
    }
    disk.syncDirectory(layout.journalDirectory());
  }

  /** What is done with a record; what follows it in its frame may be its own, and is taken then. */
  private interface RecordStep {
    void take(Mutation mutation, ByteBuffer rest) throws IOException;
  }

  /** Goes through the records of a journal; what is whole but makes no sense is damage too. */
  private static void forEach(FrameReader in, SyncMark mark, Path path, RecordStep step)
      throws IOException {
    long start = in.position();
    for (ByteBuffer body = in.next(); body != null; body = in.next()) {
      boolean isMark = mark.isAt(start, body);
      try {
        while (!isMark && body.hasRemaining()) {
          step.take(RecordCodec.read(new RecordReader(body)), body);
        }
      } catch (RuntimeException e) {
        throw new DataDirectoryException(
            path
                + " has a record before byte "
                + in.position()
                + " that this version of weir cannot read; "
                + "restore the data directory from a copy",
            e);
      }
      start = in.position();
    }
  }

  private void apply(Mutation mutation, ByteBuffer rest) throws IOException {
    nextId = Math.max(nextId, mutation.streamId() + 1);
    switch (mutation) {
      case Mutation.Created created -> catalog.add(new Stream(created.toState(), nowMillis));
      case Mutation.Appended appended -> append(appended, rest);
      case Mutation.Deleted deleted -> catalog.delete(stream(deleted.streamId()));
    }
  }

  private void append(Mutation.Appended append, ByteBuffer rest) throws IOException {
    nextId = Math.max(nextId, append.segment().fileId() + 1);
    takeBytes(append, rest);
    Stream stream = stream(append.streamId());
    ProducerTag tag = append.producer();
    catalog.update(
        stream,
        stream.state().apply(append),
        tag == null
            ? Map.of()
            : Map.of(tag.producerId(), new ProducerState(tag.epoch(), tag.sequence())));
  }

  /** The bytes of an append that travelled through the journal, null for others. */
  private static @Nullable ByteBuffer takeBytes(Mutation.Appended append, ByteBuffer rest) {
    if (!append.inJournal()) {
      return null;
    }
    ByteBuffer bytes = rest.slice(rest.position(), Math.toIntExact(append.bytes()));
    rest.position(rest.position() + bytes.remaining());
    return bytes;
  }

  /**
   * Writes what travelled through a journal to the segments that streams still have. Those that are
   * gone would take room that a full disk may not have, and be deleted again.
   */
  private void restoreSegments(long sequence) throws IOException {
    Path path = layout.journal(sequence);
    try (DiskFile file = disk.openForReading(path)) {
      FrameReader in = new FrameReader(file, 0);
      ByteBuffer header = in.next();
      SyncMark mark = header == null ? null : Journal.readHeader(header, sequence);
      if (mark != null) {
        forEach(in, mark, path, this::restore);
      }
    }
  }

  private void restore(Mutation mutation, ByteBuffer rest) throws IOException {
    if (!(mutation instanceof Mutation.Appended append)) {
      return;
    }
    ByteBuffer bytes = takeBytes(append, rest);
    Segment segment = append.segment();
    if (bytes == null || !catalog.isReferenced(segment.fileId())) {
      return;
    }
    long position = append.offset() - segment.startOffset();
    try {
      files.toWriteAt(segment.fileId(), position).write(bytes, position);
      dirtyFiles.add(segment.fileId());
    } catch (LostBytesException lost) {
      // Told when all segments are checked, with the stream that misses them.
    } catch (IOException failure) {
      throw new DataDirectoryException(
          layout.segment(segment.fileId())
              + " could not be written, as what is acknowledged has to be before the node starts: "
              + failure.getMessage()
              + "; see to its disk, and start again",
          failure);
    }
  }

  private Stream stream(long streamId) throws DataDirectoryException {
    Stream stream = catalog.find(streamId);
    if (stream == null) {
      throw new DataDirectoryException(
          "a journal in "
              + layout.journalDirectory()
              + " speaks of stream "
              + streamId
              + ", which does not exist; restore the data directory from a copy");
    }
    return stream;
  }

  /** Every segment must be as long as its streams say; what a crash left after it is cut off. */
  private void checkSegments() throws IOException {
    for (Stream stream : catalog.streams()) {
      StreamState state = stream.state();
      for (int i = 0; i < state.segments().size(); i++) {
        checkSegment(state, state.segments().get(i), state.segmentBytes(i));
      }
    }
  }

  private void checkSegment(StreamState state, Segment segment, long bytes) throws IOException {
    Path path = layout.segment(segment.fileId());
    if (bytes < 0) {
      throw new DataDirectoryException(
          path
              + " does not lie in front of what follows it in stream "
              + state.path()
              + "; restore the data directory from a copy");
    }
    try (DiskFile file = segment.growing() ? disk.open(path) : disk.openForReading(path)) {
      if (file.sizeBytes() < bytes) {
        throw new DataDirectoryException(
            path
                + " has "
                + file.sizeBytes()
                + " bytes, but stream "
                + state.path()
                + " has "
                + bytes
                + " there; restore the data directory from a copy");
      }
      if (segment.growing() && file.sizeBytes() > bytes) {
        file.truncate(bytes);
      }
    } catch (NoSuchFileException e) {
      throw new DataDirectoryException(
          path
              + " is missing, but stream "
              + state.path()
              + " has "
              + bytes
              + " bytes there; restore the data directory from a copy",
          e);
    }
  }

  private void deleteOrphans() throws IOException {
    for (int shard = 0; shard < StoreLayout.SHARDS; shard++) {
      List<Path> entries = disk.list(layout.shard(shard));
      for (Path file : entries) {
        OptionalLong fileId = StoreLayout.fileId(file);
        if (fileId.isEmpty()) {
          continue;
        }
        nextId = Math.max(nextId, fileId.getAsLong() + 1);
        if (!catalog.isReferenced(fileId.getAsLong())) {
          disk.delete(file);
        }
      }
    }
  }
}
