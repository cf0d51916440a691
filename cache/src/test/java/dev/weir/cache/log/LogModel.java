package dev.weir.cache.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cache.testing.TestPool;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What was put, in plain objects. The cache may have evicted the beginning of a stream, of what is
 * flushed; everything else it must have.
 */
final class LogModel {
  record Batch(long sequence, long base, int count, int bytes) {
    long end() {
      return base + count;
    }

    byte fill() {
      return (byte) (sequence * 31 + base);
    }
  }

  final TestPool pool;
  final LogCache cache;
  final Map<Long, List<Batch>> streams = new TreeMap<>();
  long sequence;
  long flushed;

  LogModel(TestPool pool, LogCacheOptions options) {
    this.pool = pool;
    this.cache = LogCache.create(pool.pool, pool.parent, options);
  }

  boolean put(long stream, long gap, int count, int bytes) {
    List<Batch> batches = streams.computeIfAbsent(stream, s -> new ArrayList<>());
    long base = (batches.isEmpty() ? 0 : batches.getLast().end()) + gap;
    Batch batch = new Batch(sequence + 1, base, count, bytes);
    byte[] content = new byte[bytes];
    java.util.Arrays.fill(content, batch.fill());
    if (!cache.tryPut(batch.sequence, stream, base, count, MemorySegment.ofArray(content))) {
      return false;
    }
    sequence++;
    batches.add(batch);
    return true;
  }

  void flush(long upTo) {
    cache.flushed(upTo);
    flushed = Math.max(flushed, upTo);
  }

  long unflushedBytes() {
    return streams.values().stream()
        .flatMap(List::stream)
        .filter(batch -> batch.sequence > flushed)
        .mapToLong(Batch::bytes)
        .sum();
  }

  /** Drops what the cache has evicted from the model, and checks that it was allowed to. */
  void syncEvictions() {
    for (Map.Entry<Long, List<Batch>> entry : streams.entrySet()) {
      List<Batch> batches = entry.getValue();
      while (!batches.isEmpty() && !isCached(entry.getKey(), batches.getFirst())) {
        assertThat(batches.removeFirst().sequence)
            .as("an evicted batch was flushed")
            .isLessThanOrEqualTo(flushed);
      }
    }
    streams.values().removeIf(List::isEmpty);
  }

  private boolean isCached(long stream, Batch batch) {
    try (LogRead read = cache.read(stream, batch.base, batch.end(), 1)) {
      return read.kind() == LogRead.Kind.HIT;
    }
  }

  /** After {@link #syncEvictions}: figures, and every batch. */
  void checkFigures() {
    LogCacheFigures figures = cache.figures();
    List<Batch> all = streams.values().stream().flatMap(List::stream).toList();
    assertThat(figures.batches()).isEqualTo(all.size());
    assertThat(figures.batchBytes()).isEqualTo(all.stream().mapToLong(Batch::bytes).sum());
    assertThat(figures.streams()).isEqualTo(streams.size());
    assertThat(figures.unflushedBytes()).isEqualTo(unflushedBytes());
    cache.checkInvariants();
  }

  /** A read is what the model says: the first run of consecutive batches within the range. */
  void checkRead(long stream, long start, long end, long maxBytes) {
    List<Batch> expected = new ArrayList<>();
    long sum = 0;
    for (Batch batch : streams.getOrDefault(stream, List.of())) {
      if (batch.end() <= start) {
        continue;
      }
      if (batch.base >= end
          || (!expected.isEmpty()
              && (batch.base != expected.getLast().end() || sum + batch.bytes > maxBytes))) {
        break;
      }
      expected.add(batch);
      sum += batch.bytes;
    }
    try (LogRead read = cache.read(stream, start, end, maxBytes)) {
      assertThat(read.batches().stream().map(CachedBatch::baseOffset))
          .isEqualTo(expected.stream().map(Batch::base).toList());
      for (int i = 0; i < expected.size(); i++) {
        checkBytes(read.batches().get(i), expected.get(i));
      }
      assertThat(read.kind()).isEqualTo(kindOf(expected, start, end));
      assertThat(read.byteSize()).isEqualTo(sum);
    }
  }

  static void checkBytes(CachedBatch found, Batch expected) {
    MemorySegment bytes = found.bytes().segment();
    assertThat(found.endOffset()).isEqualTo(expected.end());
    assertThat(bytes.byteSize()).isEqualTo(expected.bytes);
    assertThat(bytes.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo(expected.fill());
    assertThat(bytes.get(ValueLayout.JAVA_BYTE, expected.bytes - 1)).isEqualTo(expected.fill());
  }

  private static LogRead.Kind kindOf(List<Batch> batches, long start, long end) {
    if (batches.isEmpty()) {
      return LogRead.Kind.MISS;
    }
    boolean hasStart = batches.getFirst().base <= start;
    boolean hasEnd = batches.getLast().end() >= end;
    return hasStart
        ? hasEnd ? LogRead.Kind.HIT : LogRead.Kind.PREFIX
        : hasEnd ? LogRead.Kind.SUFFIX : LogRead.Kind.MIDDLE;
  }
}
