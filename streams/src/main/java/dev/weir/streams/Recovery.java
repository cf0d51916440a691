package dev.weir.streams;

import dev.weir.streams.manifest.Manifests;
import dev.weir.streams.manifest.Producer;
import dev.weir.streams.manifest.StreamHeader;
import dev.weir.streams.manifest.StreamManifest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.NavigableSet;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Brings a data directory back to what was acknowledged: the streams of the object store, then what
 * the WAL has beyond them. The last file of the WAL may end torn, in what nobody was told of: that
 * is cut off, and said. One that another follows is whole, even if that was only begun, for {@link
 * JournalSeries} writes to none once there may be a next one. Anything else that does not fit is
 * damage, and the node does not start on it; {@link JournalEnd} tells them apart.
 *
 * <p>What nobody can tell is a last file that was cut at the end of a batch: nothing else says how
 * many it had.
 */
final class Recovery {
  private static final System.Logger LOG = System.getLogger(Recovery.class.getName());

  private final Disk disk;
  private final StoreLayout layout;
  private final Manifests manifests;
  private final long epoch;
  private final boolean mayLackWal;
  private final long nowMillis;
  private final Catalog catalog;
  private final Unflushed unflushed;
  private final Set<Long> spools = new HashSet<>();
  private final TreeMap<Long, JournalSeries.Old> older = new TreeMap<>();
  private long nextId;
  private long walPosition;
  private Journal.@Nullable Header last;
  private long lastBytes;

  private Recovery(Settings settings) {
    this.disk = settings.disk();
    this.layout = settings.layout();
    this.manifests = settings.manifests();
    this.epoch = settings.epoch();
    this.mayLackWal = settings.mayLackWal();
    this.nowMillis = settings.nowMillis();
    this.catalog = settings.catalog();
    this.unflushed = settings.unflushed();
    this.nextId = manifests.nextStreamId();
  }

  /**
   * What a recovery stands on.
   *
   * @param manifests what the object store has
   * @param epoch of its owner: ours
   * @param mayLackWal whether there may be no WAL: it is new, or known to be lost
   * @param catalog gets the streams
   * @param unflushed gets what is only in the WAL
   */
  record Settings(
      Disk disk,
      StoreLayout layout,
      Manifests manifests,
      long epoch,
      boolean mayLackWal,
      long nowMillis,
      Catalog catalog,
      Unflushed unflushed) {}

  /**
   * What was found.
   *
   * @param nextId above every number in use
   * @param journal to go on with
   * @param older the files before it
   */
  record Result(long nextId, Journal journal, SortedMap<Long, JournalSeries.Old> older) {}

  /** Recovers; the journal of the result is open. */
  static Result run(Settings settings, ByteBuffer buffer) throws IOException {
    return new Recovery(settings).recover(buffer);
  }

  private Result recover(ByteBuffer buffer) throws IOException {
    manifests.streams().forEach(this::load);
    TreeSet<Long> journals = new TreeSet<>();
    for (Path file : disk.list(layout.journalDirectory())) {
      StoreLayout.journalSequence(file).ifPresent(journals::add);
    }
    if (journals.isEmpty() && !mayLackWal) {
      throw new DataDirectoryException(
          "the WAL in "
              + layout.journalDirectory()
              + " is missing; restore it, or start with --without-wal: what was acknowledged and"
              + " not flushed is lost then");
    }
    walPosition = manifests.walPosition();
    for (long sequence : journals) {
      replay(sequence, journals);
    }
    checkEnd(journals);
    if (last != null) {
      settleJournal(last.sequence());
    }
    settleSpools();
    return new Result(nextId, openJournal(journals, buffer), older);
  }

  private void load(StreamManifest stream) {
    StreamHeader header = stream.header();
    var fork = header.fork();
    StreamConfig config =
        new StreamConfig(
            header.contentType(),
            header.ttlSeconds(),
            header.expiresAt(),
            header.expiresAtMillis(),
            fork == null
                ? null
                : new ForkOrigin(fork.sourceId(), fork.anchorOffset(), fork.subOffset()));
    StreamState state =
        new StreamState(
            header.streamId(),
            header.path(),
            config,
            header.createdMillis(),
            header.ownOffset(),
            stream.tailOffset(),
            stream.closed(),
            tag(stream.closedBy()),
            stream.lastSequence(),
            stream.softDeleted());
    Map<String, ProducerState> producers = new HashMap<>();
    stream
        .producers()
        .forEach((id, known) ->
            producers.put(id, new ProducerState(known.epoch(), known.lastSequence())));
    Stream loaded = new Stream(state, nowMillis);
    catalog.add(loaded);
    catalog.update(loaded, state, producers);
  }

  private static @Nullable ProducerTag tag(@Nullable Producer producer) {
    return producer == null
        ? null
        : new ProducerTag(producer.id(), producer.epoch(), producer.lastSequence());
  }

  private void replay(long sequence, NavigableSet<Long> journals) throws IOException {
    boolean isLast = sequence == journals.last();
    boolean isFirst = sequence == journals.first();
    Path path = layout.journal(sequence);
    try (DiskFile file = disk.openForReading(path)) {
      FrameReader in = new FrameReader(file, 0);
      ByteBuffer first = in.next();
      if (first == null && isLast && !isFirst && in.sizeBytes() <= Journal.headerBytes()) {
        // The crash came while the file was being made: it holds nothing yet.
        return;
      }
      if (first == null && isLast && mayLackWal && in.sizeBytes() <= Journal.headerBytes()) {
        return;
      }
      if (first == null) {
        throw JournalEnd.damage(path, in.position());
      }
      Journal.Header header = Journal.readHeader(first, sequence);
      if (header == null) {
        throw new DataDirectoryException(
            path + " is no file of a WAL that this version of weir can read");
      }
      checkBegin(path, header, isFirst);
      walPosition = header.firstPosition() - 1;
      forEach(in, header, path);
      if (in.isTorn() && !isLast) {
        throw JournalEnd.damage(path, in.position());
      }
      JournalEnd.check(path, file, in.position(), in.sizeBytes(), header.mark());
      if (in.isTorn()) {
        LOG.log(
            System.Logger.Level.WARNING,
            "{0} bytes are cut off the end of {1}, from byte {2} on: a crash has left them torn,"
                + " and nobody was told that they are stored",
            in.sizeBytes() - in.position(),
            path,
            in.position());
      }
      if (last != null) {
        older.put(last.sequence(), new JournalSeries.Old(header.firstPosition() - 1, lastBytes));
      }
      last = header;
      lastBytes = in.position();
    }
  }

  private void checkBegin(Path path, Journal.Header header, boolean isFirst)
      throws DataDirectoryException {
    if (header.epoch() != epoch) {
      throw new DataDirectoryException(
          "%s is of epoch %d, but the object store is in epoch %d: it was taken over since; what this WAL has beyond the store can only be given up, with --without-wal"
              .formatted(path, header.epoch(), epoch));
    }
    if (isFirst
        ? header.firstPosition() > manifests.walPosition() + 1
        : header.firstPosition() != walPosition + 1) {
      throw new DataDirectoryException(
          "the WAL has a gap before %s: it begins with change %d, and what is known ends with %d; restore the data directory from a copy, or start with --without-wal"
              .formatted(
                  path, header.firstPosition(), isFirst ? manifests.walPosition() : walPosition));
    }
  }

  /** What is written behind the end of an old copy would be taken for flushed by the next start. */
  private void checkEnd(Set<Long> journals) throws DataDirectoryException {
    if (!journals.isEmpty() && walPosition < manifests.walPosition()) {
      throw new DataDirectoryException(
          "the WAL in %s ends with change %d, but the object store has %d: it is an old copy; start with --without-wal"
              .formatted(layout.journalDirectory(), walPosition, manifests.walPosition()));
    }
  }

  /** Goes through the commands of a file; what is whole but makes no sense is damage too. */
  private void forEach(FrameReader in, Journal.Header header, Path path) throws IOException {
    long start = in.position();
    for (ByteBuffer body = in.next(); body != null; body = in.next()) {
      try {
        if (!header.mark().isAt(start, body)) {
          walPosition++;
          if (walPosition > manifests.walPosition()) {
            applyAll(header.sequence(), start + FrameLayout.HEADER_BYTES, body);
          }
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

  private void applyAll(long sequence, long bodyStart, ByteBuffer body) throws IOException {
    while (body.hasRemaining()) {
      switch (RecordCodec.read(new RecordReader(body))) {
        case Mutation.Created created -> {
          nextId = Math.max(nextId, created.streamId() + 1);
          unflushed.created(created.toState());
          catalog.add(new Stream(created.toState(), nowMillis));
        }
        case Mutation.Deleted deleted ->
            unflushed.deleted(catalog.delete(stream(deleted.streamId())));
        case Mutation.Appended append -> append(append, sequence, bodyStart, body);
      }
    }
  }

  private void append(Mutation.Appended append, long sequence, long bodyStart, ByteBuffer rest)
      throws IOException {
    Stream stream = stream(append.streamId());
    ByteBuffer bytes = null;
    BytesPlace place;
    if (append.inJournal()) {
      place = new BytesPlace(/* inSpool= */ false, sequence, bodyStart + rest.position());
      bytes = rest.slice(rest.position(), Math.toIntExact(append.bytes()));
      rest.position(rest.position() + bytes.remaining());
    } else {
      nextId = Math.max(nextId, append.spoolId() + 1);
      place = new BytesPlace(/* inSpool= */ true, append.spoolId(), 0);
      spools.add(append.spoolId());
    }
    unflushed.appended(walPosition, stream.state().path(), append, place, bytes);
    ProducerTag tag = append.producer();
    catalog.update(
        stream,
        stream.state().apply(append),
        tag == null
            ? Map.of()
            : Map.of(tag.producerId(), new ProducerState(tag.epoch(), tag.sequence())));
  }

  private Stream stream(long streamId) throws DataDirectoryException {
    Stream stream = catalog.find(streamId);
    if (stream == null) {
      throw new DataDirectoryException(
          "the WAL in "
              + layout.journalDirectory()
              + " speaks of stream "
              + streamId
              + ", which does not exist; restore the data directory from a copy");
    }
    return stream;
  }

  /**
   * Makes what was replayed durable, which it need not be after a kill, and cuts off the torn end:
   * what is deleted next is not to be missed after a loss of power. What a failed sync could not
   * write the kernel never tries again; so what no sync may have covered is written once more. The
   * kill may also have come before the file's name was durable, on which all rests from now on.
   */
  private void settleJournal(long sequence) throws IOException {
    try (DiskFile file = disk.open(layout.journal(sequence))) {
      file.truncate(lastBytes);
      long from = Math.max(0, lastBytes - Committer.MAX_UNSYNCED_BYTES);
      ByteBuffer end = FrameReader.read(file, from, Math.toIntExact(lastBytes - from));
      if (end != null) {
        file.write(end, from);
      }
      file.sync();
    }
    disk.syncDirectory(layout.journalDirectory());
  }

  /** Each spool file that a stream needs must be whole; the others go. */
  private void settleSpools() throws IOException {
    for (Path file : disk.list(layout.spoolDirectory())) {
      OptionalLong id = StoreLayout.fileId(file);
      if (id.isEmpty()) {
        continue;
      }
      nextId = Math.max(nextId, id.getAsLong() + 1);
      if (!spools.contains(id.getAsLong())) {
        disk.delete(file);
      }
    }
    for (Stream stream : catalog.streams()) {
      checkSpools(stream.state());
    }
  }

  private void checkSpools(StreamState state) throws IOException {
    for (UnflushedBytes.Piece piece : unflushed.bytes().spooled(state.streamId())) {
      Path path = piece.place().path(layout);
      long bytes = piece.endOffset() - piece.startOffset();
      try (DiskFile file = disk.openForReading(path)) {
        if (file.sizeBytes() < bytes) {
          throw new DataDirectoryException(
              "%s has %d bytes, but stream %s has %d there; restore the data directory from a copy"
                  .formatted(path, file.sizeBytes(), state.path(), bytes));
        }
      } catch (NoSuchFileException e) {
        throw new DataDirectoryException(
            "%s is missing, but stream %s has %d bytes there; restore the data directory from a copy"
                .formatted(path, state.path(), bytes),
            e);
      }
    }
  }

  private Journal openJournal(NavigableSet<Long> journals, ByteBuffer buffer) throws IOException {
    Journal.Header header = last;
    if (header == null) {
      return Journal.create(
          disk, layout, /* sequence= */ 1, epoch, manifests.walPosition() + 1, buffer);
    }
    if (header.sequence() < journals.last()) {
      // The next one was only begun.
      older.put(header.sequence(), new JournalSeries.Old(walPosition, lastBytes));
      return Journal.create(disk, layout, journals.last(), epoch, walPosition + 1, buffer);
    }
    return Journal.resume(disk, layout, header, lastBytes, walPosition, buffer);
  }
}
