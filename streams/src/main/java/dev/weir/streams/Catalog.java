package dev.weir.streams;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * All published streams. Anybody may look one up, go through all of them, and ask whether one has
 * forks; the rest is for the thread that commits (or recovers) alone.
 */
final class Catalog {
  /** What a producer takes beside its id. */
  private static final long PRODUCER_BYTES = 128;

  private final Map<String, Stream> byPath = new ConcurrentHashMap<>();
  private final Map<Long, Stream> byId = new ConcurrentHashMap<>();
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

  void add(Stream stream) {
    StreamState state = stream.state();
    heldBytes += state.heldBytes();
    byPath.put(state.path(), stream);
    byId.put(state.streamId(), stream);
    ForkOrigin fork = state.config().fork();
    if (fork != null) {
      forksOf.merge(fork.sourceId(), 1, Integer::sum);
    }
  }

  /** Publishes the next state of a stream that was added before. */
  void update(Stream stream, StreamState next, Map<String, ProducerState> producers) {
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
   * What a deletion did.
   *
   * @param kept the stream, where it was only marked, for forks read its bytes
   * @param removed the streams that are gone: the deleted one, and each source that had waited for
   *     its last fork to go
   */
  record Deletion(@Nullable StreamState kept, List<StreamState> removed) {}

  /** Deletes a stream, or only marks it. */
  Deletion delete(Stream stream) {
    StreamState state = stream.state();
    if (hasForks(state.streamId())) {
      stream.publish(state.asSoftDeleted(), Map.of());
      return new Deletion(state, List.of());
    }
    List<StreamState> removed = new ArrayList<>();
    Stream next = stream;
    while (next != null) {
      removed.add(next.state());
      next = remove(next);
    }
    return new Deletion(null, removed);
  }

  /** Removes a stream; returns its source if that one is now to be removed as well. */
  private @Nullable Stream remove(Stream stream) {
    StreamState state = stream.state();
    byPath.remove(state.path(), stream);
    byId.remove(state.streamId());
    heldBytes -= state.heldBytes();
    for (String producerId : stream.producers().keySet()) {
      heldBytes -= producerBytes(producerId);
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
