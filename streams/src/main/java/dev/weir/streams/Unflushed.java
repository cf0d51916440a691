package dev.weir.streams;

import dev.weir.streams.flush.FrozenChanges;
import dev.weir.streams.flush.PendingChanges;
import dev.weir.streams.manifest.Fork;
import dev.weir.streams.manifest.Producer;
import dev.weir.streams.manifest.Shards;
import dev.weir.streams.manifest.StreamHeader;
import dev.weir.streams.objects.ObjectContent.InFile;
import dev.weir.streams.objects.ObjectContent.Part;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What the WAL has and no segment has yet. It is told each change once that is durable, in order,
 * and before readers see it. For the committer's thread, or a start's; {@link #bytes}, {@link
 * #dataBytes} and {@link #ageNanos} are for any.
 *
 * <pre>
 * apply ─► pending ─freeze─► frozen ─► a flush ─► flushed
 * </pre>
 */
final class Unflushed {
  /** So many make a flush: each takes some 70 bytes of the Java heap until then. */
  private static final int MANY_CHANGES = 250_000;

  private final StoreLayout layout;
  private final Catalog catalog;
  private final TailCache tail;
  private final LongConsumer spoolDeleter;
  private final UnflushedBytes bytes = new UnflushedBytes();
  private final PendingChanges pending = new PendingChanges();
  private Set<Long> spools = new HashSet<>();
  private int changes;
  private volatile int frozenChanges;
  private long walFile = -1;
  private Path walPath = Path.of("");
  private volatile long pendingBytes;
  private volatile long frozenBytes;
  private volatile long pendingSinceNanos;
  private volatile long frozenSinceNanos;
  private volatile boolean hasPending;
  private volatile boolean hasFrozen;

  /**
   * With nothing in it.
   *
   * @param spoolDeleter deletes spool files that nobody needs
   */
  Unflushed(StoreLayout layout, Catalog catalog, TailCache tail, LongConsumer spoolDeleter) {
    this.layout = layout;
    this.catalog = catalog;
    this.tail = tail;
    this.spoolDeleter = spoolDeleter;
  }

  /**
   * What one flush is to store.
   *
   * @param spools files that are not needed afterwards
   */
  record Frozen(FrozenChanges changes, List<Long> spools) {}

  /** Where the bytes lie. */
  UnflushedBytes bytes() {
    return bytes;
  }

  /** A stream came to be. */
  void created(StreamState state) {
    changed();
    pending.created(header(state));
  }

  private StreamHeader header(StreamState state) {
    StreamConfig config = state.config();
    ForkOrigin origin = config.fork();
    return new StreamHeader(
        state.streamId(),
        state.path(),
        config.contentType(),
        config.ttlSeconds(),
        config.expiresAt(),
        config.expiresAtMillis(),
        state.createdMillis(),
        origin == null ? null : fork(origin, state.ownOffset()));
  }

  private Fork fork(ForkOrigin origin, long point) {
    Stream source = catalog.find(origin.sourceId());
    if (source == null) {
      throw new IllegalStateException("a fork without its source, " + origin.sourceId());
    }
    return new Fork(
        origin.sourceId(),
        Shards.of(source.state().path()),
        point,
        origin.anchorOffset(),
        origin.subOffset());
  }

  /**
   * Bytes were added to a stream, or it was closed, or both.
   *
   * @param walPosition of the change
   * @param place where the bytes lie
   * @param inline the bytes, where they are in memory; they are copied
   */
  void appended(
      long walPosition,
      String path,
      Mutation.Appended append,
      BytesPlace place,
      @Nullable ByteBuffer inline) {
    changed();
    List<Part> parts = List.of();
    if (append.bytes() > 0) {
      parts = List.of(new InFile(path(place), place.position(), append.bytes()));
      if (inline != null) {
        tail.offer(walPosition, append.streamId(), append.offset(), inline);
      }
      bytes.add(append.streamId(), append.offset(), append.bytes(), place);
      if (place.inSpool()) {
        spools.add(place.file());
      }
    }
    ProducerTag tag = append.producer();
    pending.appended(
        new PendingChanges.Append(
            append.streamId(),
            Shards.of(path),
            append.offset(),
            parts,
            append.closes(),
            append.sequence(),
            tag == null ? null : new Producer(tag.producerId(), tag.epoch(), tag.sequence())));
    pendingBytes = pending.dataBytes();
  }

  /** Appends in a row share one path. */
  private Path path(BytesPlace place) {
    if (place.inSpool()) {
      return place.path(layout);
    }
    if (walFile != place.file()) {
      walFile = place.file();
      walPath = place.path(layout);
    }
    return walPath;
  }

  /** A stream was deleted, and what else went with it. */
  void deleted(Catalog.Deletion deletion) {
    changed();
    StreamState kept = deletion.kept();
    if (kept != null) {
      pending.softDeleted(kept.streamId(), Shards.of(kept.path()), kept.tailOffset());
    }
    for (StreamState gone : deletion.removed()) {
      pending.removed(gone.streamId(), Shards.of(gone.path()), gone.tailOffset());
      deleteSpools(gone.streamId());
      bytes.remove(gone.streamId());
      tail.remove(gone.streamId());
    }
    pendingBytes = pending.dataBytes();
  }

  /** A flush that is under way still needs its own. */
  private void deleteSpools(long streamId) {
    for (UnflushedBytes.Piece piece : bytes.spooled(streamId)) {
      if (spools.remove(piece.place().file())) {
        spoolDeleter.accept(piece.place().file());
      }
    }
  }

  private void changed() {
    if (!hasPending) {
      pendingSinceNanos = System.nanoTime();
      hasPending = true;
    }
    changes++;
  }

  /** Whether it is time for a flush, if none is under way. */
  boolean isDue(long flushBytes) {
    return pendingBytes >= flushBytes || changes >= MANY_CHANGES;
  }

  /** Whether nothing waits for the next flush. */
  boolean isEmpty() {
    return !hasPending;
  }

  /** Hands out what waits. One at a time: {@link #flushed} comes before the next. */
  Frozen freeze(long walPosition, long nextStreamId) {
    frozenSinceNanos = pendingSinceNanos;
    hasFrozen = true;
    hasPending = false;
    frozenChanges = changes;
    changes = 0;
    frozenBytes = pendingBytes;
    pendingBytes = 0;
    Frozen frozen = new Frozen(pending.freeze(walPosition, nextStreamId), List.copyOf(spools));
    spools = new HashSet<>();
    return frozen;
  }

  /** What was handed out is committed, and readers find it there. For the storage thread. */
  void flushed(Frozen frozen) {
    frozen
        .changes()
        .changes()
        .forEach(change -> bytes.flushed(change.streamId(), change.tailOffset()));
    tail.flushed(frozen.changes().walPosition());
    frozen.spools().forEach(spoolDeleter::accept);
    frozenBytes = 0;
    frozenChanges = 0;
    hasFrozen = false;
  }

  /** How many changes wait, those of a flush under way included. For the committer's thread. */
  int changes() {
    return changes + frozenChanges;
  }

  /** Bytes of streams that a lost disk would cost. */
  long dataBytes() {
    return pendingBytes + frozenBytes;
  }

  /** For how long the oldest change waits; 0 without any. */
  long ageNanos() {
    if (hasFrozen) {
      return System.nanoTime() - frozenSinceNanos;
    }
    return hasPending ? System.nanoTime() - pendingSinceNanos : 0;
  }
}
