package dev.weir.netty.write;

import java.time.Duration;

/**
 * The bounds of a {@link WriteGate}, in bytes that are queued to be sent.
 *
 * @param channelBytes what one channel queues at most, beside its last message. Half of it is its
 *     high water mark, where it stops being writable, a quarter its low one
 * @param totalBytes what all channels of the gate queue at most. At three quarters of it each
 *     channel may queue one message at a time, until half is left
 * @param slowBytes what a peer may leave queued for long
 * @param slowTime how long it may leave more than that without interruption; and, while channels
 *     are stopped, how long it has to take half of what is queued for it
 */
public record WriteGateOptions(
    int channelBytes, long totalBytes, int slowBytes, Duration slowTime) {
  /** What {@link #within} gives a channel at most: enough for a fast peer far away. */
  private static final int MAX_CHANNEL_BYTES = 1 << 20;

  /** What {@link #within} gives a channel at least: a water mark of Netty's default. */
  private static final int MIN_CHANNEL_BYTES = 128 << 10;

  /** Checks that every bound is positive, and that a channel's is within the total. */
  public WriteGateOptions {
    if (channelBytes < 4 || totalBytes < channelBytes) {
      throw new IllegalArgumentException(
          "channelBytes: %d, totalBytes: %d (expected: 4 <= channelBytes <= totalBytes)"
              .formatted(channelBytes, totalBytes));
    }
    if (slowBytes <= 0 || !slowTime.isPositive()) {
      throw new IllegalArgumentException(
          "slowBytes: %d, slowTime: %s (expected: > 0)".formatted(slowBytes, slowTime));
    }
  }

  /**
   * Bounds for {@code totalBytes}: a 64th of it for a channel, within 128 KiB and 1 MiB; a peer is
   * slow that leaves more than its low water mark for 30 s.
   */
  public static WriteGateOptions within(long totalBytes) {
    int channelBytes =
        (int)
            Math.min(totalBytes, Math.clamp(totalBytes / 64, MIN_CHANNEL_BYTES, MAX_CHANNEL_BYTES));
    return new WriteGateOptions(
        channelBytes, totalBytes, Math.max(1, channelBytes / 4), Duration.ofSeconds(30));
  }

  /** The same with another bound of a channel, and a slow peer's at its low water mark. */
  public WriteGateOptions withChannelBytes(int bytes) {
    return new WriteGateOptions(bytes, totalBytes, Math.max(1, bytes / 4), slowTime);
  }

  /** The same with another idea of a slow peer. */
  public WriteGateOptions withSlowPeer(int bytes, Duration time) {
    return new WriteGateOptions(channelBytes, totalBytes, bytes, time);
  }
}
