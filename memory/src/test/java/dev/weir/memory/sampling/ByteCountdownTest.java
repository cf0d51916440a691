package dev.weir.memory.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How many bytes there are to a sample, by what samples take and what lies between them. */
class ByteCountdownTest {
  private static final long WANTED_BYTES = 64 << 10;
  private static final long COST_NANOS = 10_000;

  private final ByteCountdown countdown = new ByteCountdown(WANTED_BYTES, /* adapts= */ true);
  private long nanos = System.nanoTime();

  private void sampleAfter(long pauseNanos) {
    nanos += pauseNanos;
    countdown.restart(nanos, nanos + COST_NANOS);
    nanos += COST_NANOS;
  }

  /** The mean distance of samples, told from how many blocks one of them stands for. */
  private double meanInWanted() {
    double oneInBlocks = countdown.blocksPerSample(WANTED_BYTES - 16);
    return -1 / Math.log(1 - 1 / oneInBlocks);
  }

  @Test
  void growsWhileSamplesFollowEachOtherAndShrinksWhereTheyDoNot() {
    for (int i = 1; i <= 6; i++) {
      sampleAfter(50 * COST_NANOS);
      assertThat(Math.round(meanInWanted())).isEqualTo(1 << i);
    }
    sampleAfter(200 * COST_NANOS);
    assertThat(Math.round(meanInWanted())).isEqualTo(64);
    sampleAfter(500 * COST_NANOS);
    assertThat(Math.round(meanInWanted())).isEqualTo(32);
  }

  /** Who does its work in bursts is followed closely at the beginning of each. */
  @Test
  void aPauseThatPaysForAllItsDoublingsUndoesThem() {
    for (int i = 0; i < 10; i++) {
      sampleAfter(0);
    }
    assertThat(Math.round(meanInWanted())).isEqualTo(1024);
    sampleAfter(5_000 * COST_NANOS);
    assertThat(Math.round(meanInWanted())).isOne();
    sampleAfter(5_000 * COST_NANOS);
    assertThat(Math.round(meanInWanted())).isOne();
  }
}
