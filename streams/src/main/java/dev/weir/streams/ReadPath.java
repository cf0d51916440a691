package dev.weir.streams;

import dev.weir.cache.block.BlockCache;
import dev.weir.streams.manifest.ExtentList;
import dev.weir.streams.manifest.Location;
import dev.weir.streams.manifest.Manifests;
import dev.weir.streams.manifest.Shards;
import dev.weir.streams.manifest.StreamManifest;
import dev.weir.streams.objects.ObjectStore;
import dev.weir.streams.objects.block.ObjectBlockSource;
import dev.weir.streams.segments.SegmentReader;
import dev.weir.streams.segments.SegmentReaders;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where bytes of streams are found.
 *
 * <ol>
 *   <li>What lies before a fork's point is its source's.
 *   <li>What is not flushed: in the WAL, or in a spool file.
 *   <li>What is flushed: in segments, each pinned while it is read. One that compaction has taken
 *       away meanwhile is looked for once more.
 * </ol>
 *
 * The newest of it is in {@link TailCache} too, which is asked first. Any thread.
 */
final class ReadPath {
  /** A range is looked for again while flushes and compactions move it. */
  private static final int MAX_ATTEMPTS = 100;

  /** Segments of a range are looked up this far ahead. */
  private static final long LOOKUP_BYTES = 64 << 20;

  private final Disk disk;
  private final StoreLayout layout;
  private final Catalog catalog;
  private final TailCache tail;
  private final UnflushedBytes unflushed;
  private final Manifests manifests;
  private final ObjectStore store;
  private final SegmentReaders readers;
  private final @Nullable BlockCache blocks;
  private final ObjectBlockSource source;

  /**
   * Of one store.
   *
   * @param blocks for segments that are not local files; null: they are read without a cache
   */
  ReadPath(
      Disk disk,
      StoreLayout layout,
      Catalog catalog,
      TailCache tail,
      UnflushedBytes unflushed,
      Manifests manifests,
      ObjectStore store,
      SegmentReaders readers,
      @Nullable BlockCache blocks) {
    this.disk = disk;
    this.layout = layout;
    this.catalog = catalog;
    this.tail = tail;
    this.unflushed = unflushed;
    this.manifests = manifests;
    this.store = store;
    this.readers = readers;
    this.blocks = blocks;
    this.source = new ObjectBlockSource(store);
  }

  TailCache tail() {
    return tail;
  }

  /**
   * The stream whose own bytes an offset of a stream is, which is another for a fork.
   *
   * @param endOffset up to where it is the same one
   */
  record Owner(StreamState state, long endOffset) {
    long streamId() {
      return state.streamId();
    }
  }

  /** Follows forks to their sources; null where one is gone. */
  @Nullable Owner owner(StreamState reader, long offset, long endOffset) {
    StreamState state = reader;
    long end = endOffset;
    while (offset < state.ownOffset()) {
      end = Math.min(end, state.ownOffset());
      ForkOrigin fork = state.config().fork();
      Stream next = fork == null ? null : catalog.find(fork.sourceId());
      if (next == null) {
        return null;
      }
      state = next.state();
    }
    return new Owner(state, end);
  }

  /**
   * The last offset up to another where an append is known to have begun: in what is not flushed
   * each one is, in segments the first of each flush. A fork begins with its point. Does not block.
   */
  long lastAppendStart(StreamState reader, long offset) {
    Owner owner = owner(reader, offset, offset);
    if (owner == null) {
      return 0;
    }
    UnflushedBytes.Piece piece = unflushed.find(owner.streamId(), offset);
    if (piece != null) {
      return piece.startOffset();
    }
    StreamManifest flushed = manifests.find(Shards.of(owner.state().path()), owner.streamId());
    ExtentList extents = flushed == null ? ExtentList.EMPTY : flushed.extents();
    int index = extents.indexOf(offset);
    while (index >= 0 && !extents.startsAppend(index)) {
      index--;
    }
    return index < 0 ? owner.state().ownOffset() : extents.startOffset(index);
  }

  /** Segments of a range that were looked up and are not read yet, in order. */
  static final class Ahead {
    private final Deque<Location> locations = new ArrayDeque<>();
    private long streamId;
    private long offset;
  }

  /**
   * Opens what has a byte. Blocks.
   *
   * @param ahead what one reader has looked up before
   * @param before what the reader has open, which is closed, or goes on as part of the result
   * @throws NoSuchFileException where it is gone with its stream
   */
  ReadPart open(Owner owner, long offset, Ahead ahead, @Nullable ReadPart before)
      throws IOException {
    UnflushedBytes.Piece next = unflushed.find(owner.streamId(), offset);
    if (next != null && before instanceof ReadPart.OfFile file && file.isIn(next.place())) {
      return file.at(next, owner.endOffset());
    }
    if (before != null) {
      before.close();
    }
    return open(owner, offset, ahead);
  }

  private ReadPart open(Owner owner, long offset, Ahead ahead) throws IOException {
    NoSuchFileException missing = null;
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      UnflushedBytes.Piece piece = unflushed.find(owner.streamId(), offset);
      try {
        ReadPart part = piece != null ? openPiece(piece, owner) : openSegment(owner, offset, ahead);
        if (part != null) {
          return part;
        }
      } catch (NoSuchFileException gone) {
        // Flushed and deleted just now, or lost.
        missing = gone;
      }
      if (catalog.find(owner.streamId()) == null) {
        break;
      }
    }
    if (missing != null) {
      throw missing;
    }
    throw new NoSuchFileException(
        "bytes of stream %s from %d on".formatted(owner.state().path(), offset));
  }

  private ReadPart openPiece(UnflushedBytes.Piece piece, Owner owner) throws IOException {
    Path file = piece.place().path(layout);
    return new ReadPart.OfFile(
        disk,
        file,
        disk.openForReading(file),
        piece.place(),
        piece.startOffset(),
        Math.min(piece.endOffset(), owner.endOffset()));
  }

  private @Nullable ReadPart openSegment(Owner owner, long offset, Ahead ahead) throws IOException {
    Location location = next(owner, offset, ahead);
    if (location == null || !location.segment().tryPin()) {
      ahead.locations.clear();
      return null;
    }
    boolean opened = false;
    try {
      SegmentReader reader = readers.get(location.segment().entry().id());
      Path local = store.localFile(location.segment().entry().id().key());
      ReadPart part =
          local != null
              ? new ReadPart.OfSegmentFile(
                  disk, local, disk.openForReading(local), reader, location, offset)
              : new ReadPart.OfObject(store, source, blocks, reader, location, offset);
      opened = true;
      ahead.offset = part.endOffset();
      return part;
    } finally {
      if (!opened) {
        location.segment().unpin();
        ahead.locations.clear();
      }
    }
  }

  private @Nullable Location next(Owner owner, long offset, Ahead ahead) {
    boolean goesOn = ahead.streamId == owner.streamId() && ahead.offset == offset;
    if (goesOn && !ahead.locations.isEmpty()) {
      return ahead.locations.poll();
    }
    int shard = Shards.of(owner.state().path());
    StreamManifest manifest = manifests.find(shard, owner.streamId());
    if (manifest == null || manifest.tailOffset() <= offset) {
      return null;
    }
    long to = Math.min(Math.min(owner.endOffset(), manifest.tailOffset()), offset + LOOKUP_BYTES);
    List<Location> found = manifests.resolve(shard, owner.streamId(), offset, to);
    if (found == null) {
      return null;
    }
    ahead.locations.clear();
    ahead.locations.addAll(found);
    ahead.streamId = owner.streamId();
    return ahead.locations.poll();
  }
}
