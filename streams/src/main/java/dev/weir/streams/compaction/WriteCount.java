package dev.weir.streams.compaction;

/**
 * What was written to segments since the start.
 *
 * @param flushedBytes by flushes: each byte of a stream once
 * @param compactedBytes by compactions
 */
public record WriteCount(long flushedBytes, long compactedBytes) {
  /** After a flush. */
  public WriteCount plusFlushed(long bytes) {
    return new WriteCount(flushedBytes + bytes, compactedBytes);
  }

  /** After a compaction. */
  public WriteCount plusCompacted(long bytes) {
    return new WriteCount(flushedBytes, compactedBytes + bytes);
  }

  /** Bytes written for each byte flushed. */
  public double amplification() {
    return flushedBytes == 0 ? 1 : (double) (flushedBytes + compactedBytes) / flushedBytes;
  }
}
