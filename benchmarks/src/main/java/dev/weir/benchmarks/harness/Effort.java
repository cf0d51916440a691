package dev.weir.benchmarks.harness;

import java.time.Duration;

/**
 * How long each cell is measured.
 *
 * <p>Two seconds of warm-up: where two threads share a lock, as with the purger's in rows of large
 * blocks, the compilers' first guesses cost a factor of two for as long as that.
 *
 * @param rounds how often each peer gets a JVM; the peers take turns
 * @param warmups iterations in each JVM that do not count
 * @param measurements iterations in each JVM that count
 * @param iteration how long each takes
 */
public record Effort(int rounds, int warmups, int measurements, Duration iteration) {
  /** About 7 s a cell and peer: for many cells at once. */
  public static final Effort BRIEF = new Effort(2, 8, 2, Duration.ofMillis(250));

  /** About 11 s a cell and peer: shows a factor, not a percent. */
  public static final Effort QUICK = new Effort(3, 7, 3, Duration.ofMillis(300));

  /** About 30 s a cell and peer. */
  public static final Effort FULL = new Effort(5, 6, 4, Duration.ofMillis(500));

  /**
   * So much longer is an iteration in which a collector has to come by several times, or a pipeline
   * to be compiled beside a library that takes most of the time.
   */
  private static final int LONGER = 4;

  /** The same with another number of rounds. */
  public Effort rounds(int others) {
    return new Effort(others, warmups, measurements, iteration);
  }

  /** The same number of JVMs, each for what happens in it once. */
  public Effort once() {
    return new Effort(rounds, 0, 1, Duration.ZERO);
  }

  /** For what happens a few times a second only. */
  public Effort longer() {
    return new Effort(rounds, warmups, measurements, iteration.multipliedBy(LONGER));
  }

  /** With so many times as many iterations that count: a handful of collections is no average. */
  public Effort counting(int times) {
    return new Effort(rounds, warmups, times * measurements, iteration);
  }
}
