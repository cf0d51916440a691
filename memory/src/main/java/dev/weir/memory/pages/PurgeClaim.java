package dev.weir.memory.pages;

/**
 * Dirty pages that one thread is about to give back: out of every index while the system call runs
 * without the lock.
 */
sealed interface PurgeClaim {
  long address();

  long bytes();

  /** Pages of the run region. */
  record OfRun(long startPage, long pages, long address, long bytes) implements PurgeClaim {}

  /** The committed part of a parked span, which is closed by the purge. */
  record OfSpan(SpanRegion region, Span span) implements PurgeClaim {
    @Override
    public long address() {
      return span.address();
    }

    @Override
    public long bytes() {
      return span.committedBytes();
    }
  }
}
