package dev.weir.memory.budget;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One budget for each of 100,000 channels. */
@Timeout(120)
class ManyBudgetsTest {
  private static final int CHANNELS = 100_000;

  private final Budget root = Budget.root("pool", () -> 1_000_000, 0, () -> 0);
  private final Budget feature = root.child("feature", 4L << 30);
  private final Budget[] channels = new Budget[CHANNELS];
  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @Test
  void eachTakesAtMost200BytesAndNothingInTheHeapsThatChargeIt() {
    Credits credits = new Credits();
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < CHANNELS; i++) {
      channels[i] = feature.child("channel", 256 << 10);
      for (int block = 0; block < 10; block++) {
        assertThatIsCharged(credits.tryCharge(channels[i], 2_048));
      }
    }
    long bytesEach = (threads.getCurrentThreadAllocatedBytes() - before) / CHANNELS;

    assertThat(bytesEach).isLessThanOrEqualTo(200);
    assertThat(feature.chargedBytes()).isEqualTo(20_480L * CHANNELS);
    assertThat(feature.openCredits).isZero();
    for (Budget channel : channels) {
      channel.close();
      channel.uncharge(20_480);
    }
    assertThat(feature.children()).as("each left at once").isEmpty();
    root.checkInvariants();
  }

  private static void assertThatIsCharged(boolean charged) {
    if (!charged) {
      throw new AssertionError("refused");
    }
  }
}
