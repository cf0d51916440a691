package dev.weir.streams.objects;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** A store whose requests are counted, by kind. Closing it closes the store behind it. */
public final class CountedStore implements ObjectStore {
  /** What is asked of a store. */
  public enum Kind {
    HEAD,
    READ,
    PUT,
    LIST,
    DELETE
  }

  private final ObjectStore store;
  private final Map<Kind, LongAdder> requests = new EnumMap<>(Kind.class);

  /** Counts from 0. */
  public CountedStore(ObjectStore store) {
    this.store = store;
    for (Kind kind : Kind.values()) {
      requests.put(kind, new LongAdder());
    }
  }

  /** How many there were; the store's own retries are not among them. */
  public long requests(Kind kind) {
    LongAdder count = requests.get(kind);
    return count == null ? 0 : count.sum();
  }

  private void count(Kind kind) {
    LongAdder count = requests.get(kind);
    if (count != null) {
      count.increment();
    }
  }

  @Override
  public String name() {
    return store.name();
  }

  @Override
  public Request<ObjectInfo> head(String key) {
    count(Kind.HEAD);
    return store.head(key);
  }

  @Override
  public Request<@Nullable Void> read(
      String key, @Nullable String ifMatch, long offset, MemorySegment target) {
    count(Kind.READ);
    return store.read(key, ifMatch, offset, target);
  }

  @Override
  public Request<ObjectInfo> put(String key, ObjectContent content, PutCondition condition) {
    count(Kind.PUT);
    return store.put(key, content, condition);
  }

  @Override
  public Request<ObjectPage> list(String prefix, @Nullable String startAfter, int maxKeys) {
    count(Kind.LIST);
    return store.list(prefix, startAfter, maxKeys);
  }

  @Override
  public Request<List<DeleteFailure>> delete(List<String> keys) {
    count(Kind.DELETE);
    return store.delete(keys);
  }

  @Override
  public @Nullable Path localFile(String key) {
    return store.localFile(key);
  }

  @Override
  public void close() {
    store.close();
  }
}
