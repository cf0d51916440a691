package dev.weir.memory.sampling;

import java.util.concurrent.ThreadLocalRandom;

/**
 * Counts allocated bytes down to the next sample. One thread's, or one that several threads use
 * without synchronization: then an update may be lost now and then, and bytes be counted twice or
 * not at all.
 */
/*
 * The distance between two samples is exponentially distributed, so a block of n bytes is sampled with a probability of
 * 1 - exp(-n / mean), whatever came before it; a sample stands for the reciprocal of that many blocks.
 *
 * A sample costs a microsecond or a few, so a thread that allocates many gigabytes a second would do little else. The mean
 * is doubled where samples follow each other too fast, and halved again where they do not. Each sample is weighed by the
 * mean under which it was drawn, so the estimates stay unbiased. On the way to a distant sample the clock is looked at
 * now and then, so that a thread which has become slow is soon followed closely again: an exponential distribution has
 * no memory, so it may be drawn anew after any block.
 */
public final class ByteCountdown {
  /**
   * Counted for each block besides its bytes: the smallest slot, so that a block of no bytes is
   * seen too.
   */
  private static final int BYTES_BESIDES = 16;

  /** The mean grows while samples take more than this part of the time since the last one. */
  private static final int SHARE_OF_TIME = 100;

  /** It shrinks while they take less than a quarter of that. */
  private static final int SMALL_SHARE_OF_TIME = 4 * SHARE_OF_TIME;

  /** It begins anew after a pause that pays for the samples of all its doublings. */
  private static final int IDLE_SHARE_OF_TIME = 12 * SMALL_SHARE_OF_TIME;

  /** A block of more than 64 KiB, a run, takes long enough to look at the clock for it. */
  private static final int LARGE_BYTES = 64 << 10;

  /** The mean is at most this many times what was asked for: 2 GiB instead of 512 KiB. */
  private static final int MAX_FACTOR = 4_096;

  /** After so many times what was asked for without a sample, the clock is looked at. */
  private static final int LOOK_FACTOR = 64;

  private final long wantedMeanBytes;
  private final boolean adapts;
  private long meanBytes;

  /** Counts down to the next sample, or to the next look at the clock on the way there. */
  private long untilBytes;

  /** From that look to the sample. */
  private long restBytes;

  private long costNanos;
  private long lastNanos = System.nanoTime();

  /**
   * Draws the first sample.
   *
   * @param wantedMeanBytes how many bytes there are to a sample, on average
   * @param adapts whether samples become rarer where they would take too much of a thread's time
   */
  public ByteCountdown(long wantedMeanBytes, boolean adapts) {
    this.wantedMeanBytes = wantedMeanBytes;
    this.adapts = adapts;
    this.meanBytes = wantedMeanBytes;
    draw();
  }

  /** Counts a block; says whether it is to be sampled, which then has to happen. */
  public boolean reach(long bytes) {
    if (bytes > LARGE_BYTES && meanBytes > wantedMeanBytes) {
      lookAtTheClock();
    }
    return (untilBytes -= bytes + BYTES_BESIDES) < 0 && isDue();
  }

  private boolean isDue() {
    while (untilBytes < 0 && restBytes > 0) {
      long step = Math.min(restBytes, LOOK_FACTOR * wantedMeanBytes);
      restBytes -= step;
      untilBytes += step;
    }
    if (untilBytes < 0) {
      return true;
    }
    if (meanBytes > wantedMeanBytes) {
      lookAtTheClock();
    }
    return false;
  }

  /** Between two blocks. */
  private void lookAtTheClock() {
    long sinceNanos = System.nanoTime() - lastNanos;
    if (sinceNanos > SMALL_SHARE_OF_TIME * costNanos) {
      shrink(sinceNanos);
      draw();
    }
  }

  /** Samples have become rare, or there was a pause. */
  private void shrink(long sinceNanos) {
    boolean idle = sinceNanos > IDLE_SHARE_OF_TIME * costNanos;
    meanBytes = idle ? wantedMeanBytes : Math.max(meanBytes / 2, wantedMeanBytes);
  }

  /** How many blocks of this size a sample of one stands for. */
  double blocksPerSample(long bytes) {
    return -1 / Math.expm1(-(double) (bytes + BYTES_BESIDES) / meanBytes);
  }

  /** Begins anew after a sample, which took from one {@link System#nanoTime} to the other. */
  public void restart(long begunNanos, long endedNanos) {
    if (adapts) {
      costNanos = endedNanos - begunNanos;
      long sinceNanos = begunNanos - lastNanos;
      if (sinceNanos < SHARE_OF_TIME * costNanos) {
        meanBytes = Math.min(2 * meanBytes, MAX_FACTOR * wantedMeanBytes);
      } else if (sinceNanos > SMALL_SHARE_OF_TIME * costNanos) {
        shrink(sinceNanos);
      }
      lastNanos = endedNanos;
    }
    draw();
  }

  private void draw() {
    long bytes = (long) (-Math.log(1 - ThreadLocalRandom.current().nextDouble()) * meanBytes);
    untilBytes = Math.min(bytes, LOOK_FACTOR * wantedMeanBytes);
    restBytes = bytes - untilBytes;
  }
}
