package dev.weir.memory.purge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

/** The presets, as functions of a pool's figures. */
class PurgePolicyTest {
  private static final long MIB = 1L << 20;
  private static final long GIB = 1L << 30;

  private final PurgePolicy balanced = PurgePolicy.balanced();
  private final PurgePolicy dense = PurgePolicy.dense();

  /** Resident is at most (1 + share) times the peak, and two floors. */
  @Test
  void bothCeilingsTogetherAreTheShareOfThePeak() {
    for (long peak : new long[] {MIB, 100 * MIB, GIB, 100 * GIB}) {
      for (long large : new long[] {0, peak / 2, peak}) {
        long kept =
            balanced.dirtyCeilingBytes(peak, peak, large)
                + balanced.usefulInsideBytes(peak - large);
        long most = (long) (balanced.share() * peak) + 12 * MIB;
        assertThat(kept).as("peak %,d, large runs %,d", peak, large).isLessThanOrEqualTo(most);
      }
    }
  }

  @Test
  void balancedMeasuresByThePeakAndDenseByWhatIsLive() {
    assertThat(balanced.dirtyCeilingBytes(0, GIB, 0))
        .isEqualTo(balanced.dirtyCeilingBytes(GIB, GIB, 0));
    assertThat(dense.dirtyCeilingBytes(0, GIB, 0)).isEqualTo(3 * MIB);
    assertThat(dense.dirtyCeilingBytes(GIB, GIB, 0)).isEqualTo(GIB / 40);
  }

  @Test
  void whatHasComeFreeStaysWarm() {
    assertThat(balanced.warmBytes(50 * MIB, 10 * MIB)).isEqualTo(50 * MIB);
    assertThat(dense.warmBytes(50 * MIB, 10 * MIB)).isEqualTo(10 * MIB);
    assertThat(dense.warmBytes(5 * MIB, 10 * MIB)).isEqualTo(5 * MIB);
  }

  @Test
  void aSmallDensePoolMayKeepMoreInsideSlabs() {
    assertThat(dense.usefulInsideBytes(50 * MIB)).isEqualTo(16 * MIB);
    assertThat(dense.usefulInsideBytes(100 * MIB)).isEqualTo(12 * MIB);
    assertThat(dense.usefulInsideBytes(200 * MIB)).isEqualTo(9 * MIB);
    assertThat(dense.usefulInsideBytes(1024 * MIB)).isEqualTo(24 * MIB);
    assertThat(dense.idleInsideBytes(50 * MIB)).isEqualTo(768L << 10);
    assertThat(dense.idleInsideBytes(GIB)).isEqualTo(4 * MIB);
  }

  @Test
  void thePurgerComesBeforeTheCeilingAndLeavesHalfOfIt() {
    assertThat(balanced.wakeBytes(100)).isEqualTo(75);
    assertThat(balanced.keepBytes(100)).isEqualTo(50);
  }

  @Test
  void theShareIsASetting() {
    PurgePolicy more = balanced.withShare(1);
    assertThat(more.dirtyCeilingBytes(0, GIB, 0))
        .isGreaterThan(balanced.dirtyCeilingBytes(0, GIB, 0));
    assertThat(more.usefulInsideBytes(GIB)).isGreaterThan(balanced.usefulInsideBytes(GIB));
    assertThat(more.name()).isEqualTo("balanced");
    for (double share : new double[] {-0.01, 1.01, Double.NaN}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> balanced.withShare(share))
          .withMessageContaining("not between 0 and 1");
    }
  }
}
