package dev.weir.streams;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * All published streams. Anybody may look one up by path, go through all of them, and ask whether
 * one has forks or a file references; the rest is for the thread that commits (or recovers) alone.
 *
 * <p>Invariant: a file's references are the streams, forks and soft-deleted ones included, one of
 * whose segments lies in it; a file without references is nobody's.
 */
final class Catalog {
  /** What a producer takes beside its id. */
  private static final long PRODUCER_BYTES = 128;

  private final Map<String, Stream> byPath = new ConcurrentHashMap<>();
  private final Map<Long, Stream> byId = new HashMap<>();
  private final Map<Long, Integer> fileReferences = new ConcurrentHashMap<>();
  private final Map<Long, Integer> forksOf = new ConcurrentHashMap<>();
  private long heldBytes;

  @Nullable Stream find(String path) {
    return byPath.get(path);
  }

  @Nullable Stream find(long streamId) {
    return byId.get(streamId);
  }

  Collection<Stream> streams() {
    return byPath.values();
  }

  int size() {
    return byPath.size();
  }

  /** About how much of the Java heap streams and producers take. */
  long heldBytes() {
    return heldBytes;
  }

  boolean hasForks(long streamId) {
    return forksOf.containsKey(streamId);
  }

  boolean isReferenced(long fileId) {
    return fileReferences.containsKey(fileId);
  }

  void add(Stream stream) {
    StreamState state = stream.state();
    heldBytes += state.heldBytes();
    byPath.put(state.path(), stream);
    byId.put(state.streamId(), stream);
    state.segments().forEach(segment -> fileReferences.merge(segment.fileId(), 1, Integer::sum));
    ForkOrigin fork = state.config().fork();
    if (fork != null) {
      forksOf.merge(fork.sourceId(), 1, Integer::sum);
    }
  }

  /** Publishes the next state of a stream that was added before. */
  void update(Stream stream, StreamState next, Map<String, ProducerState> producers) {
    List<Segment> before = stream.state().segments();
    for (Segment segment : next.segments().subList(before.size(), next.segments().size())) {
      fileReferences.merge(segment.fileId(), 1, Integer::sum);
    }
    heldBytes += next.heldBytes() - stream.state().heldBytes();
    for (String producerId : producers.keySet()) {
      heldBytes += stream.producer(producerId) == null ? producerBytes(producerId) : 0;
    }
    stream.publish(next, producers);
  }

  private static long producerBytes(String producerId) {
    return PRODUCER_BYTES + StreamState.stringBytes(producerId);
  }

  /**
   * Deletes a stream, or only marks it when forks read its bytes; a source that was waiting for its
   * last fork to go, goes too.
   *
   * @return the files that nobody needs any more
   */
  List<Long> delete(Stream stream) {
    List<Long> released = new ArrayList<>();
    StreamState state = stream.state();
    if (hasForks(state.streamId())) {
      stream.publish(state.asSoftDeleted(), Map.of());
      return released;
    }
    Stream next = stream;
    while (next != null) {
      next = remove(next, released);
    }
    return released;
  }

  /** Removes a stream; returns its source if that one is now to be removed as well. */
  private @Nullable Stream remove(Stream stream, List<Long> released) {
    StreamState state = stream.state();
    byPath.remove(state.path(), stream);
    byId.remove(state.streamId());
    heldBytes -= state.heldBytes();
    for (String producerId : stream.producers().keySet()) {
      heldBytes -= producerBytes(producerId);
    }
    for (Segment segment : state.segments()) {
      if (decrement(fileReferences, segment.fileId())) {
        released.add(segment.fileId());
      }
    }
    stream.publishRemoved();
    ForkOrigin fork = state.config().fork();
    if (fork == null || !decrement(forksOf, fork.sourceId())) {
      return null;
    }
    Stream source = byId.get(fork.sourceId());
    return source != null && source.state().softDeleted() ? source : null;
  }

  /** Takes one from a count; true when none is left. */
  private static boolean decrement(Map<Long, Integer> counts, long key) {
    Integer left = counts.computeIfPresent(key, (id, count) -> count == 1 ? null : count - 1);
    return left == null;
  }
}
