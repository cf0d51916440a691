package dev.weir.cache.log;

import java.util.List;

/**
 * What a log cache has of a range: whole batches, consecutive and in order. Close it to release
 * them; whoever needs one for longer retains its bytes first. One thread at a time.
 */
public final class LogRead implements AutoCloseable {
  /** Which part of the range is there. */
  public enum Kind {
    /** All of it. */
    HIT,
    /** The beginning; the rest lies elsewhere, or beyond the limit on bytes. */
    PREFIX,
    /** The end. */
    SUFFIX,
    /** Neither the beginning nor the end, but something between. */
    MIDDLE,
    /** Nothing. */
    MISS,
    /** Something, but readers pin as much as they may, and there is no memory for a copy. */
    REFUSED
  }

  /** Nothing, of whatever range. */
  public static final LogRead MISS = new LogRead(Kind.MISS, List.of());

  static final LogRead REFUSED = new LogRead(Kind.REFUSED, List.of());

  private final Kind kind;
  private final List<CachedBatch> batches;

  LogRead(Kind kind, List<CachedBatch> batches) {
    this.kind = kind;
    this.batches = batches;
  }

  /** Which part of the range is there. */
  public Kind kind() {
    return kind;
  }

  /** The batches; none for {@link Kind#MISS} and {@link Kind#REFUSED}. */
  public List<CachedBatch> batches() {
    return batches;
  }

  /** All bytes of all batches. */
  public long byteSize() {
    long sum = 0;
    for (CachedBatch batch : batches) {
      sum += batch.bytes().byteSize();
    }
    return sum;
  }

  /** Releases the batches. Once: a second call is one release too many, and is refused. */
  @Override
  public void close() {
    for (CachedBatch batch : batches) {
      batch.bytes().release();
    }
  }
}
