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
            balanced.dirtyCeilingBytes(peak, peak, large, 0)
                + balanced.usefulInsideBytes(peak - large);
        long most = (long) (balanced.share() * peak) + 12 * MIB;
        assertThat(kept).as("peak %,d, large runs %,d", peak, large).isLessThanOrEqualTo(most);
      }
    }
  }

  @Test
  void balancedMeasuresByThePeakAndDenseByWhatIsLive() {
    assertThat(balanced.dirtyCeilingBytes(GIB, GIB, 0, 0)).isEqualTo((long) (0.04 * GIB));
    assertThat(balanced.dirtyCeilingBytes(0, GIB, 0, 0)).isEqualTo(GIB + (long) (0.04 * GIB));
    assertThat(dense.dirtyCeilingBytes(0, GIB, 0, 0)).isEqualTo(3 * MIB);
    assertThat(dense.dirtyCeilingBytes(GIB, GIB, 0, 0)).isEqualTo(GIB / 40);
  }

  @Test
  void whatHasComeFreeStaysWarm() {
    long steady = balanced.dirtyCeilingBytes(60 * MIB, 60 * MIB, 0, 0);
    assertThat(balanced.dirtyCeilingBytes(10 * MIB, 60 * MIB, 0, 0)).isEqualTo(steady + 50 * MIB);
    assertThat(dense.dirtyCeilingBytes(10 * MIB, 60 * MIB, 0, 10 * MIB)).isEqualTo(13 * MIB);
    assertThat(dense.dirtyCeilingBytes(10 * MIB, 15 * MIB, 0, 10 * MIB)).isEqualTo(8 * MIB);
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
  void thePurgerComesBeforeTheCeilingAndLeavesMostOfIt() {
    long live = 400 * MIB;
    assertThat(balanced.dirtyWakeBytes(live, live, 0, 0)).isEqualTo(15 * MIB);
    assertThat(balanced.dirtyKeepBytes(live, live, 0, 0)).isEqualTo(14 * MIB);
    assertThat(dense.dirtyWakeBytes(live, live, 0, 0)).isEqualTo(7 * MIB + MIB / 2);
    assertThat(dense.dirtyKeepBytes(live, live, 0, 0)).isEqualTo(5 * MIB);
  }

  @Test
  void theShareIsASetting() {
    PurgePolicy more = balanced.withShare(1);
    assertThat(more.dirtyCeilingBytes(0, GIB, 0, 0))
        .isGreaterThan(balanced.dirtyCeilingBytes(0, GIB, 0, 0));
    assertThat(more.usefulInsideBytes(GIB)).isGreaterThan(balanced.usefulInsideBytes(GIB));
    assertThat(more.name()).isEqualTo("balanced");
    for (double share : new double[] {-0.01, 1.01, Double.NaN}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> balanced.withShare(share))
          .withMessageContaining("not between 0 and 1");
    }
  }
}
