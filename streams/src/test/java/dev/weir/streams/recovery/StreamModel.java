package dev.weir.streams.recovery;

import dev.weir.streams.flush.PendingChanges;
import dev.weir.streams.manifest.Fork;
import dev.weir.streams.manifest.Producer;
import dev.weir.streams.manifest.StreamHeader;
import dev.weir.streams.objects.ObjectContent;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Streams as plain arrays, and the WAL of what was done to them: facts that can be told again.
 * After every operation there is a copy of all streams, to compare a recovered store with.
 */
final class StreamModel {
  /** One stream; never changed. */
  record ModelStream(
      StreamHeader header,
      byte[] content,
      boolean closed,
      boolean softDeleted,
      @Nullable String lastSequence,
      Map<String, Producer> producers) {}

  private final List<Consumer<PendingChanges>> wal = new ArrayList<>();
  private final List<Map<Long, ModelStream>> history = new ArrayList<>(List.of(Map.of()));
  private final SplittableRandom random;
  private TreeMap<Long, ModelStream> streams = new TreeMap<>();
  private long nextStreamId = 1;

  StreamModel(SplittableRandom random) {
    this.random = random;
  }

  /** How many operations there were: the position of the WAL. */
  long walPosition() {
    return wal.size();
  }

  long nextStreamId() {
    return nextStreamId;
  }

  /** All streams when the WAL was there. */
  Map<Long, ModelStream> at(long walPosition) {
    return history.get((int) walPosition);
  }

  /** Tells everything behind a position once more. */
  void replay(long walPosition, PendingChanges target) {
    wal.subList((int) walPosition, wal.size()).forEach(operation -> operation.accept(target));
  }

  /** Does something to a random stream. */
  void change(PendingChanges target) {
    List<ModelStream> alive =
        streams.values().stream().filter(stream -> !stream.softDeleted()).toList();
    int choice = alive.isEmpty() ? 0 : random.nextInt(20);
    ModelStream stream = alive.isEmpty() ? null : alive.get(random.nextInt(alive.size()));
    Consumer<PendingChanges> operation;
    if (stream == null || (choice < 3 && streams.size() < 12)) {
      operation = create(null);
    } else if (choice < 5 && streams.size() < 12) {
      operation = create(stream);
    } else if (choice < 7) {
      operation = delete(stream);
    } else {
      operation = append(stream, /* closes= */ choice == 7);
    }
    wal.add(operation);
    history.add(Map.copyOf(streams));
    operation.accept(target);
  }

  private Consumer<PendingChanges> create(@Nullable ModelStream source) {
    long id = nextStreamId++;
    int point = source == null ? 0 : random.nextInt(source.content().length + 1);
    Fork fork =
        source == null
            ? null
            : new Fork(source.header().streamId(), source.header().shard(), point, point, 0);
    StreamHeader header =
        new StreamHeader(id, "path/" + id % 5 + "/" + id, "text/plain", -1, null, -1, id, fork);
    byte[] content = source == null ? new byte[0] : Arrays.copyOf(source.content(), point);
    streams.put(id, new ModelStream(header, content, false, false, null, Map.of()));
    return pending -> pending.created(header);
  }

  private Consumer<PendingChanges> append(ModelStream stream, boolean closes) {
    byte[] bytes = new byte[stream.closed() ? 0 : random.nextInt(1, 400)];
    random.nextBytes(bytes);
    StreamHeader header = stream.header();
    int offset = stream.content().length;
    byte[] content = Arrays.copyOf(stream.content(), offset + bytes.length);
    System.arraycopy(bytes, 0, content, offset, bytes.length);
    String sequence = random.nextBoolean() ? "s" + wal.size() : null;
    Producer producer =
        random.nextBoolean() ? new Producer("p" + random.nextInt(3), 1, wal.size()) : null;
    Map<String, Producer> producers = new HashMap<>(stream.producers());
    if (producer != null) {
      producers.put(producer.id(), producer);
    }
    streams.put(
        header.streamId(),
        new ModelStream(
            header,
            content,
            stream.closed() || closes,
            false,
            sequence != null ? sequence : stream.lastSequence(),
            Map.copyOf(producers)));
    PendingChanges.Append append =
        new PendingChanges.Append(
            header.streamId(),
            header.shard(),
            offset,
            List.of(new ObjectContent.InMemory(MemorySegment.ofArray(bytes))),
            closes,
            sequence,
            producer);
    return pending -> pending.appended(append);
  }

  /** As the catalog does it: what forks read stays, and goes with the last of them. */
  private Consumer<PendingChanges> delete(ModelStream stream) {
    if (hasForks(stream)) {
      streams.put(
          stream.header().streamId(),
          new ModelStream(
              stream.header(),
              stream.content(),
              stream.closed(),
              true,
              stream.lastSequence(),
              stream.producers()));
      return pending ->
          pending.softDeleted(
              stream.header().streamId(), stream.header().shard(), stream.content().length);
    }
    List<ModelStream> removed = new ArrayList<>();
    ModelStream next = stream;
    while (next != null) {
      removed.add(next);
      streams.remove(next.header().streamId());
      Fork fork = next.header().fork();
      ModelStream source = fork == null ? null : streams.get(fork.sourceId());
      next = source != null && source.softDeleted() && !hasForks(source) ? source : null;
    }
    return pending ->
        removed.forEach(gone ->
            pending.removed(
                gone.header().streamId(), gone.header().shard(), gone.content().length));
  }

  private boolean hasForks(ModelStream stream) {
    return streams.values().stream()
        .anyMatch(other ->
            other.header().fork() != null
                && other.header().fork().sourceId() == stream.header().streamId());
  }
}
