package dev.weir.cache.log;

/**
 * A log cache has no room for a batch, and holds nothing more that has been flushed. Flush, and put
 * the batch again; until then take no more appends.
 */
public final class LogCacheFullException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final long unflushedBytes;

  LogCacheFullException(String message, long unflushedBytes) {
    super(message);
    this.unflushedBytes = unflushedBytes;
  }

  /** What has to be kept until it is flushed. */
  public long unflushedBytes() {
    return unflushedBytes;
  }
}
