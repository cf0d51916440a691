package dev.weir.memory.sampling;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.jfr.FlightRecords;
import dev.weir.memory.profile.LiveBlocks;
import dev.weir.memory.profile.LiveProfile;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Takes the samples of one pool. For those who allocate: {@link ByteCountdown#reach} says when one
 * is due.
 */
public final class Sampler {
  /**
   * The most samples that are kept: live blocks of 4 GiB at 512 KiB a sample. Each takes a kilobyte
   * or two of Java heap, with its stack.
   */
  static final int MAX_LIVE_SAMPLES = 8_192;

  private final long bytesPerSample;
  private final boolean adapts;
  private final LiveTable table;
  private final CountdownStripes stripes;
  private final AtomicLong lostSamples = new AtomicLong();

  /**
   * Creates a sampler.
   *
   * @param bytesPerSample one sample in so many bytes, on average
   */
  public Sampler(long bytesPerSample) {
    this(bytesPerSample, MAX_LIVE_SAMPLES, /* adapts= */ true);
  }

  Sampler(long bytesPerSample, int maxLiveSamples, boolean adapts) {
    this.bytesPerSample = bytesPerSample;
    this.adapts = adapts;
    this.table = new LiveTable(maxLiveSamples);
    LiveSample.load();
    this.stripes = new CountdownStripes(this::newCountdown);
  }

  /** A countdown for one thread. */
  public ByteCountdown newCountdown() {
    return new ByteCountdown(bytesPerSample, adapts);
  }

  /** The countdown of a thread that has none of its own. */
  public ByteCountdown ofThread() {
    return stripes.ofThread();
  }

  /**
   * Takes a sample of a block that is being allocated.
   *
   * @param countdown has said that it is due
   * @param bytes what the countdown has counted
   * @return null if it cannot be kept, because there are too many
   */
  public @Nullable LiveSample take(ByteCountdown countdown, long bytes, Budget budget) {
    long begunNanos = System.nanoTime();
    double blocks = countdown.blocksPerSample(bytes);
    budget.countAllocated(Math.round(blocks * bytes));
    LiveSample sample = null;
    if (table.isFull()) {
      lostSamples.incrementAndGet();
    } else {
      sample = new LiveSample(table, new AllocationStack(), budget, blocks, bytes);
      table.add(sample);
    }
    FlightRecords.sampled(budget, bytes, blocks, AllocationStack.CALLER);
    countdown.restart(begunNanos, System.nanoTime());
    return sample;
  }

  /** What is live now. */
  public LiveProfile profile() {
    return profileOlderThan(-1);
  }

  /** What is live now and has been for longer than that; the rest costs nothing to look at. */
  public LiveProfile profileOlderThan(long ageNanos) {
    long nowNanos = System.nanoTime();
    List<LiveBlocks> blocks = new ArrayList<>();
    for (LiveSample sample : table.all()) {
      LiveBlocks seen = sample.ageNanos(nowNanos) > ageNanos ? sample.look(nowNanos) : null;
      if (seen != null) {
        blocks.add(seen);
      }
    }
    return new LiveProfile(bytesPerSample, lostSamples.get(), blocks);
  }
}
