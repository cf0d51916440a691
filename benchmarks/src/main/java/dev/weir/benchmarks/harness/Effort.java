package dev.weir.benchmarks.harness;

import java.time.Duration;

/**
 * How long each cell is measured.
 *
 * @param rounds how often each peer gets a JVM; the peers take turns
 * @param warmups iterations in each JVM that do not count
 * @param measurements iterations in each JVM that count
 * @param iteration how long each takes
 */
public record Effort(int rounds, int warmups, int measurements, Duration iteration) {
  /** About 8 s a cell and peer: shows a factor, not a percent. */
  public static final Effort QUICK = new Effort(3, 3, 3, Duration.ofMillis(300));

  /** About 25 s a cell and peer. */
  public static final Effort FULL = new Effort(5, 4, 4, Duration.ofMillis(500));

  /** The same number of JVMs, each for what happens in it once. */
  public Effort once() {
    return new Effort(rounds, 0, 1, Duration.ZERO);
  }
}
