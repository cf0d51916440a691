package dev.weir.memory.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.profile.LiveBlocks;
import dev.weir.memory.profile.LiveProfile;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class SamplerTest {
  private static final long BYTES_PER_SAMPLE = 64 << 10;

  private final Budget root = Budget.root("pool", () -> 1_000_000, 0, () -> 0);
  private final Budget feature = root.child("feature", Budget.UNLIMITED);
  private final Sampler exact =
      new Sampler(BYTES_PER_SAMPLE, Sampler.MAX_LIVE_SAMPLES, /* adapts= */ false);

  private static @Nullable LiveSample count(
      Sampler sampler, ByteCountdown countdown, long bytes, Budget budget) {
    return countdown.reach(bytes) ? sampler.take(countdown, bytes, budget) : null;
  }

  /**
   * 128 MiB in blocks of each size are some 2,000 samples, or all blocks where these are large: the
   * estimates are within a tenth, which is four standard deviations or more.
   */
  @Test
  void estimatesAreUnbiasedWhateverTheSize() {
    for (int bytes : new int[] {16, 1_000, 64 << 10, 1 << 20}) {
      ByteCountdown countdown = exact.newCountdown();
      long blocks = (128L << 20) / (bytes + 16);
      List<LiveSample> taken = new ArrayList<>();
      for (long i = 0; i < blocks; i++) {
        LiveSample sample = count(exact, countdown, bytes, feature);
        if (sample != null) {
          taken.add(sample);
        }
      }

      LiveProfile profile = exact.profile();
      assertThat(profile.lostSamples()).isZero();
      assertThat(profile.samples()).hasSize(taken.size());
      double estimate = profile.samples().stream().mapToDouble(LiveBlocks::blocks).sum();
      assertThat(estimate / blocks).as("blocks of %d B", bytes).isCloseTo(1, within(0.15));
      assertThat((double) profile.bytes() / (blocks * bytes)).isCloseTo(1, within(0.15));
      taken.forEach(LiveSample::end);
      assertThat(exact.profile().samples()).isEmpty();
    }
  }

  /** Whatever becomes of a block, it has been allocated, for its budget and all above. */
  @Test
  void whatIsAllocatedIsCountedForEachBudget() {
    Budget inner = feature.child("inner", Budget.UNLIMITED);
    ByteCountdown countdown = exact.newCountdown();
    long blocks = (128L << 20) / 1_016;
    for (long i = 0; i < blocks; i++) {
      LiveSample sample = count(exact, countdown, 1_000, i % 4 == 0 ? feature : inner);
      if (sample != null) {
        sample.end();
      }
    }

    assertThat(inner.allocatedBytes() / (750.0 * blocks)).isCloseTo(1, within(0.15));
    assertThat(feature.allocatedBytes() / (1_000.0 * blocks)).isCloseTo(1, within(0.15));
    assertThat(root.allocatedBytes()).isEqualTo(feature.allocatedBytes());
  }

  /** As fast as a loop can count, a sample every 64 KiB would take all the time. */
  @Test
  void aThreadThatAllocatesFastIsSampledMoreRarelyAndStillUnbiased() {
    Sampler adapting = new Sampler(BYTES_PER_SAMPLE);
    ByteCountdown countdown = adapting.newCountdown();
    int samples = 0;
    double estimate = 0;
    long blocks = 20_000_000;
    for (long i = 0; i < blocks; i++) {
      LiveSample sample = count(adapting, countdown, 65_536, feature);
      if (sample != null) {
        samples++;
        estimate += adapting.profile().samples().getFirst().blocks();
        sample.end();
      }
    }

    assertThat(samples).isLessThan((int) (blocks / 4));
    // The fewest samples that a thousandth of the blocks would give are good for a tenth.
    if (samples > 10_000) {
      assertThat(estimate / blocks).isCloseTo(1, within(0.3));
    }
  }

  @Test
  void whatABlockCameToIsNamedOnlyWhereNettyAllocatedIt() {
    LiveSample own = exact.take(exact.newCountdown(), 1_000, feature);
    assertThat(own).isNotNull();
    own.touchedBy("com.example.Handler");
    assertThat(exact.profile().samples().getFirst().stack())
        .isNotEmpty()
        .noneMatch(frame -> frame.getMethodName().equals(LiveSample.TOUCHED));
    own.end();
  }

  @Test
  void whatTheTableHasNoPlaceForIsCounted() {
    Sampler small = new Sampler(BYTES_PER_SAMPLE, 3, /* adapts= */ false);
    ByteCountdown countdown = small.newCountdown();
    List<LiveSample> kept = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      LiveSample sample = small.take(countdown, 1_000, feature);
      if (sample != null) {
        kept.add(sample);
      }
    }
    assertThat(kept).hasSize(3);
    assertThat(small.profile().lostSamples()).isEqualTo(7);

    kept.get(0).end();
    kept.get(0).end();
    assertThat(small.take(countdown, 1_000, feature)).isNotNull();
    assertThat(small.take(countdown, 1_000, feature)).as("one place came free").isNull();
    assertThat(small.profile().samples()).hasSize(3);
  }

  /** Wherever the stack ends, the next sample can be taken again. */
  @Test
  void aFullStackDoesNoHarm() {
    Sampler small = new Sampler(BYTES_PER_SAMPLE, 1, /* adapts= */ false);
    ByteCountdown countdown = small.newCountdown();
    assertThat(takeAtTheEndOfTheStack(small, countdown)).isPositive();

    assertThat(small.profile().samples()).isEmpty();
    LiveSample sample = small.take(countdown, 1_000, feature);
    assertThat(sample).isNotNull();
    sample.end();
  }

  @SuppressWarnings("InfiniteRecursion") // it is what this is for
  private int takeAtTheEndOfTheStack(Sampler sampler, ByteCountdown countdown) {
    int deeper = 0;
    try {
      deeper = takeAtTheEndOfTheStack(sampler, countdown);
    } catch (StackOverflowError e) {
      deeper = 1;
    }
    if (deeper < 100) {
      try {
        LiveSample sample = sampler.take(countdown, 1_000, feature);
        if (sample != null) {
          sample.end();
        }
      } catch (StackOverflowError e) {
        return deeper + 1;
      }
    }
    return deeper + 1;
  }
}
