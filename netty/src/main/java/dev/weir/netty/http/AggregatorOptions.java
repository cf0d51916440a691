package dev.weir.netty.http;

import java.time.Duration;

/**
 * The limits of a {@link BudgetedHttpAggregator}.
 *
 * @param maximumBytes the largest body that is taken in; larger ones get {@code 413}
 * @param admissionDeadline how long a request waits for room before it gets {@code 503}; of a body
 *     of unknown length, how long each step waits
 * @param retryAfter what {@code Retry-After} then tells the client, rounded up to whole seconds
 * @param stepBytes what a body of unknown length takes first; each later step takes as much as the
 *     body has by then, up to 16 times this. From 64 KiB on the body can grow where it lies
 * @param stallTimeout how long an admitted body may go without another KiB, and a 256th of the
 *     memory that it holds, or its end, before it gets {@code 408}
 * @param idleTimeout how long the head of a request may take to come, whole, from the beginning of
 *     the connection or the end of the last response on; then the connection ends, with {@code 408}
 *     where a part of the head has come
 */
public record AggregatorOptions(
    int maximumBytes,
    Duration admissionDeadline,
    Duration retryAfter,
    int stepBytes,
    Duration stallTimeout,
    Duration idleTimeout) {

  /** Checks that every limit is positive. */
  public AggregatorOptions {
    requirePositive("maximumBytes", maximumBytes);
    requirePositive("stepBytes", stepBytes);
    requirePositive("admissionDeadline", admissionDeadline);
    requirePositive("retryAfter", retryAfter);
    requirePositive("stallTimeout", stallTimeout);
    requirePositive("idleTimeout", idleTimeout);
  }

  /**
   * Bodies up to {@code maximumBytes}; 10 s to wait for room, {@code Retry-After: 1}, steps from 64
   * KiB, 30 s without another KiB, 60 s for the next head.
   */
  public static AggregatorOptions upTo(int maximumBytes) {
    return new AggregatorOptions(
        maximumBytes,
        Duration.ofSeconds(10),
        Duration.ofSeconds(1),
        64 * 1024,
        Duration.ofSeconds(30),
        Duration.ofSeconds(60));
  }

  /** The same with another {@code admissionDeadline}. */
  public AggregatorOptions withAdmissionDeadline(Duration deadline) {
    return new AggregatorOptions(
        maximumBytes, deadline, retryAfter, stepBytes, stallTimeout, idleTimeout);
  }

  /** The same with another {@code retryAfter}. */
  public AggregatorOptions withRetryAfter(Duration delay) {
    return new AggregatorOptions(
        maximumBytes, admissionDeadline, delay, stepBytes, stallTimeout, idleTimeout);
  }

  /** The same with another {@code stepBytes}. */
  public AggregatorOptions withStepBytes(int bytes) {
    return new AggregatorOptions(
        maximumBytes, admissionDeadline, retryAfter, bytes, stallTimeout, idleTimeout);
  }

  /** The same with another {@code stallTimeout}. */
  public AggregatorOptions withStallTimeout(Duration timeout) {
    return new AggregatorOptions(
        maximumBytes, admissionDeadline, retryAfter, stepBytes, timeout, idleTimeout);
  }

  /** The same with another {@code idleTimeout}. */
  public AggregatorOptions withIdleTimeout(Duration timeout) {
    return new AggregatorOptions(
        maximumBytes, admissionDeadline, retryAfter, stepBytes, stallTimeout, timeout);
  }

  private static void requirePositive(String name, int value) {
    if (value <= 0) {
      throw new IllegalArgumentException(name + ": " + value + " (expected: > 0)");
    }
  }

  private static void requirePositive(String name, Duration value) {
    if (!value.isPositive()) {
      throw new IllegalArgumentException(name + ": " + value + " (expected: > 0)");
    }
  }
}
