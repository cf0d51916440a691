package dev.weir.benchmarks.streams;

import java.time.Duration;

/**
 * How long each row is measured.
 *
 * @param rounds how often each server is started for it; the servers take turns
 * @param warmUp load that does not count
 * @param measured load that counts
 * @param pieces of 1 MiB in a stream that readers catch up with
 * @param messages that readers wait for
 */
public record StreamsEffort(
    int rounds, Duration warmUp, Duration measured, int pieces, int messages) {
  /** 524 MB. */
  private static final int PIECES = 500;

  /** Shows a factor, not a percent. */
  public static final StreamsEffort QUICK =
      new StreamsEffort(3, Duration.ofSeconds(12), Duration.ofSeconds(5), PIECES, 250);

  /** What records are made of. */
  public static final StreamsEffort FULL =
      new StreamsEffort(5, Duration.ofSeconds(20), Duration.ofSeconds(15), PIECES, 500);

  /** The same with another number of rounds. */
  public StreamsEffort rounds(int others) {
    return new StreamsEffort(others, warmUp, measured, pieces, messages);
  }
}
