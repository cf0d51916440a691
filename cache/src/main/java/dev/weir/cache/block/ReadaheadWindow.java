package dev.weir.cache.block;

/**
 * How many pages to fetch ahead of one reader.
 *
 * <p>A page has to be asked for one latency before it is needed: so the window is what the reader
 * takes in the time that a fetch takes, and one page more. It grows to twice its size with each
 * page, from the second consecutive page on. It is halved when pages were evicted unread, and ends
 * when the reader jumps. Time alone does not end it.
 *
 * <p>Times are in nanoseconds, of one clock. Under the cache's lock.
 */
final class ReadaheadWindow {
  /** Of each new measurement of a time, this part counts. */
  private static final int WEIGHT = 4;

  private long lastPage = -2;
  private boolean sequential;
  private int pages;
  private long latencyNanos;
  private long consumeNanos = -1;

  /** When the last page was handed to the reader; what it does from then on is its own time. */
  private long deliveredNanos;

  private boolean delivered;

  /** Whether reads of this page change nothing, since it is the last one. */
  boolean isLast(long page) {
    return page == lastPage;
  }

  /**
   * The reader asks for another page than before.
   *
   * @param mostPages as many as there is room for
   * @return how many pages behind it should be there, or on their way
   */
  int advance(long page, long nowNanos, long mostPages) {
    sequential = page == lastPage + 1;
    lastPage = page;
    if (!sequential) {
      pages = 0;
      delivered = false;
      return 0;
    }
    if (delivered) {
      long nanos = Math.max(0, nowNanos - deliveredNanos);
      consumeNanos = consumeNanos < 0 ? nanos : average(consumeNanos, nanos);
      delivered = false;
    }
    long wanted = 1 + latencyNanos / Math.max(1, consumeNanos);
    pages = (int) Math.min(Math.min(wanted, Math.max(1, 2L * pages)), Math.max(0, mostPages));
    return pages;
  }

  /** The reader has got its page. */
  void delivered(long nowNanos) {
    deliveredNanos = nowNanos;
    delivered = true;
  }

  /** A fetch for this reader took so long. */
  void loaded(long nanos) {
    latencyNanos = latencyNanos == 0 ? nanos : average(latencyNanos, nanos);
  }

  /** A page that was fetched for it has been evicted unread. */
  void evictedUnread() {
    pages /= 2;
  }

  int pages() {
    return pages;
  }

  private static long average(long before, long now) {
    return before + (now - before) / WEIGHT;
  }
}
