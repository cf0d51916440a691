package dev.weir.streams.flush;

import dev.weir.streams.manifest.Lifecycle;
import dev.weir.streams.manifest.Producer;
import dev.weir.streams.manifest.StreamHeader;
import dev.weir.streams.objects.ObjectContent;
import dev.weir.streams.objects.ObjectContent.Part;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What was acknowledged and not handed to a flush yet. The committer tells it each change once the
 * WAL has it, in order, and freezes it. For the committer's thread.
 */
public final class PendingChanges {
  private TreeMap<Long, Pending> streams = new TreeMap<>();
  private long dataBytes;

  /** One stream while it changes. */
  private static final class Pending {
    private final long streamId;
    private final int shard;
    private final @Nullable StreamHeader created;
    private final long startOffset;
    private final List<Part> bytes = new ArrayList<>();
    private final Map<String, Producer> producers = new HashMap<>();
    private long tailOffset;
    private boolean closes;
    private @Nullable Producer closedBy;
    private @Nullable String lastSequence;
    private Lifecycle lifecycle = Lifecycle.UNCHANGED;

    Pending(long streamId, int shard, @Nullable StreamHeader created, long startOffset) {
      this.streamId = streamId;
      this.shard = shard;
      this.created = created;
      this.startOffset = startOffset;
      this.tailOffset = startOffset;
    }

    StreamChange freeze() {
      boolean removed = lifecycle == Lifecycle.REMOVED;
      return new StreamChange(
          streamId,
          shard,
          created,
          startOffset,
          removed ? List.of() : bytes,
          removed ? startOffset : tailOffset,
          closes,
          closedBy,
          lastSequence,
          List.copyOf(producers.values()),
          lifecycle);
    }
  }

  /** An append that was acknowledged; each of its parts may be empty. */
  public record Append(
      long streamId,
      int shard,
      long offset,
      List<Part> bytes,
      boolean closes,
      @Nullable String sequence,
      @Nullable Producer producer) {}

  /** Bytes of streams that wait. */
  public long dataBytes() {
    return dataBytes;
  }

  /** Whether nothing waits. */
  public boolean isEmpty() {
    return streams.isEmpty();
  }

  /** A stream came to be; a fork begins at its point. */
  public void created(StreamHeader header) {
    streams.put(
        header.streamId(),
        new Pending(header.streamId(), header.shard(), header, header.ownOffset()));
  }

  /** Bytes were added, or the stream was closed, or both. */
  public void appended(Append append) {
    Pending stream = stream(append.streamId(), append.shard(), append.offset());
    if (append.offset() != stream.tailOffset) {
      throw new IllegalArgumentException(
          "stream %d has %d bytes, not %d"
              .formatted(append.streamId(), stream.tailOffset, append.offset()));
    }
    long length = new ObjectContent(append.bytes()).lengthBytes();
    stream.bytes.addAll(append.bytes());
    stream.tailOffset += length;
    dataBytes += length;
    if (append.closes()) {
      stream.closes = true;
      stream.closedBy = append.producer();
    }
    if (append.sequence() != null) {
      stream.lastSequence = append.sequence();
    }
    Producer producer = append.producer();
    if (producer != null) {
      stream.producers.put(producer.id(), producer);
    }
  }

  /**
   * A stream was deleted, and stays for its forks.
   *
   * @param tailOffset its length
   */
  public void softDeleted(long streamId, int shard, long tailOffset) {
    stream(streamId, shard, tailOffset).lifecycle = Lifecycle.SOFT_DELETED;
  }

  /**
   * A stream is gone; no fork reads its bytes.
   *
   * @param tailOffset its length
   */
  public void removed(long streamId, int shard, long tailOffset) {
    Pending stream = stream(streamId, shard, tailOffset);
    dataBytes -= stream.tailOffset - stream.startOffset;
    if (stream.created != null) {
      streams.remove(streamId);
      return;
    }
    stream.lifecycle = Lifecycle.REMOVED;
    stream.tailOffset = stream.startOffset;
    stream.bytes.clear();
  }

  private Pending stream(long streamId, int shard, long tailOffset) {
    return streams.computeIfAbsent(streamId, id -> new Pending(id, shard, null, tailOffset));
  }

  /**
   * Hands out what waits, and begins anew. Later changes belong to the next flush.
   *
   * @param walPosition the position of the last change
   * @param nextStreamId above the number of every stream so far
   */
  public FrozenChanges freeze(long walPosition, long nextStreamId) {
    List<StreamChange> changes = streams.values().stream().map(Pending::freeze).toList();
    streams = new TreeMap<>();
    dataBytes = 0;
    return new FrozenChanges(walPosition, nextStreamId, changes);
  }
}
