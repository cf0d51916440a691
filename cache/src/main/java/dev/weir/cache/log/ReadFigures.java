package dev.weir.cache.log;

import java.util.concurrent.atomic.LongAdder;

/** Counts the reads of a log cache. Thread-safe. */
final class ReadFigures {
  private final LongAdder hits = new LongAdder();
  private final LongAdder partialHits = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final LongAdder readBytes = new LongAdder();
  private final LongAdder copiedBytes = new LongAdder();

  void count(LogRead read, long copied) {
    LongAdder counter =
        switch (read.kind()) {
          case HIT -> hits;
          case PREFIX, SUFFIX, MIDDLE -> partialHits;
          case MISS -> misses;
          case REFUSED -> refused;
        };
    counter.increment();
    readBytes.add(read.byteSize());
    copiedBytes.add(copied);
  }

  long reads() {
    return hits() + partialHits() + misses() + refused();
  }

  long hits() {
    return hits.sum();
  }

  long partialHits() {
    return partialHits.sum();
  }

  long misses() {
    return misses.sum();
  }

  long refused() {
    return refused.sum();
  }

  long readBytes() {
    return readBytes.sum();
  }

  long copiedBytes() {
    return copiedBytes.sum();
  }
}
