package dev.weir.streams;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A stream's state while the batch that changes it is not yet durable. For the committer alone. */
final class Draft {
  private final Stream stream;
  private final boolean created;
  private final Map<String, ProducerState> producers = new HashMap<>();
  private StreamState state;

  Draft(Stream stream, boolean created) {
    this.stream = stream;
    this.created = created;
    this.state = stream.state();
  }

  StreamState state() {
    return state;
  }

  @Nullable ProducerState producer(@Nullable ProducerTag tag) {
    if (tag == null) {
      return null;
    }
    ProducerState drafted = producers.get(tag.producerId());
    return drafted != null ? drafted : stream.producer(tag.producerId());
  }

  boolean hasRoomForProducer() {
    int known = stream.producers().size();
    if (known + producers.size() < Stream.MAX_PRODUCERS) {
      return true;
    }
    // Those of the batch need not be new.
    long added = producers.keySet().stream().filter(id -> stream.producer(id) == null).count();
    return known + added < Stream.MAX_PRODUCERS;
  }

  void apply(Mutation.Appended append) {
    state = state.apply(append);
    ProducerTag tag = append.producer();
    if (tag != null) {
      producers.put(tag.producerId(), new ProducerState(tag.epoch(), tag.sequence()));
    }
  }

  void publish(Catalog catalog, long nowMillis) {
    stream.touch(nowMillis);
    if (created) {
      catalog.add(stream);
    }
    catalog.update(stream, state, producers);
  }
}
