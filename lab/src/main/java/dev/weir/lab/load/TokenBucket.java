package dev.weir.lab.load;

/**
 * Paces a sender: tokens are bytes, they come at a fixed rate, and at most a burst of them is kept.
 * What a sender could not use is lost, so it does not catch up after a wait. Not thread-safe.
 */
public final class TokenBucket {
  private static final double NANOS_PER_SECOND = 1e9;

  private final double bytesPerNano;
  private final double burstBytes;
  private double bytes;
  private long lastNanos;

  /** Starts full at {@code nowNanos}, a reading of {@link System#nanoTime()}. */
  public TokenBucket(long bytesPerSecond, long burstBytes, long nowNanos) {
    this.bytesPerNano = bytesPerSecond / NANOS_PER_SECOND;
    this.burstBytes = burstBytes;
    this.bytes = burstBytes;
    this.lastNanos = nowNanos;
  }

  /**
   * Takes {@code wantedBytes} if they are there.
   *
   * @param wantedBytes at most the burst
   * @return 0 if they were taken, otherwise in how many nanoseconds they will be there
   */
  public long take(long wantedBytes, long nowNanos) {
    bytes = Math.min(burstBytes, bytes + (nowNanos - lastNanos) * bytesPerNano);
    lastNanos = nowNanos;
    if (bytes >= wantedBytes) {
      bytes -= wantedBytes;
      return 0;
    }
    return (long) Math.ceil((wantedBytes - bytes) / bytesPerNano);
  }
}
