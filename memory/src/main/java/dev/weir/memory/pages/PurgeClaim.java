package dev.weir.memory.pages;

/**
 * Dirty pages that one thread is about to give back: nobody else finds them while the system call
 * runs without the lock.
 */
sealed interface PurgeClaim {
  long address();

  /** How many bytes from the address on are to be given back. */
  long lengthBytes();

  /** How many of them are resident. */
  long residentBytes();

  /** Pages of the run region. */
  record OfRun(long startPage, long pages, long address, long lengthBytes) implements PurgeClaim {
    @Override
    public long residentBytes() {
      return lengthBytes;
    }
  }

  /** The committed pages of a retired span, which is closed by the purge. */
  record OfSpan(SpanRegion region, Span span) implements PurgeClaim {
    @Override
    public long address() {
      return span.address();
    }

    @Override
    public long lengthBytes() {
      return span.size().bytes();
    }

    @Override
    public long residentBytes() {
      return span.committedBytes();
    }
  }

  /** The end of a range's resident pages, which no block lies on. */
  record OfRange(GrowthRegion region, GrowthRange range, long from, long to) implements PurgeClaim {
    @Override
    public long address() {
      return range.address() + from;
    }

    @Override
    public long lengthBytes() {
      return to - from;
    }

    @Override
    public long residentBytes() {
      return to - from;
    }
  }
}
