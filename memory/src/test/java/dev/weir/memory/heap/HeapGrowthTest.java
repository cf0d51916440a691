package dev.weir.memory.heap;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A heap that goes over from one size to another gives back about as much as it takes. */
class HeapGrowthTest extends OwnedSlots {
  private static final long MIB = 1 << 20;

  private int unlinkings;

  @Override
  void purge(InsidePurge purge) {
    unlinkings++;
    super.purge(purge);
  }

  private void allocate(boolean isOwned, long bytes, int slotBytes) {
    int sizeClass = SizeClasses.classOf(slotBytes);
    for (long done = 0; done < bytes; done += slotBytes) {
      Slot slot =
          isOwned
              ? owned.tryAllocate(sizeClass, Slot.FACTORY)
              : shared.tryAllocate(sizeClass, Slot.FACTORY);
      assertThat(slot).isNotNull();
      live.add(slot);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void holesOfSizesOutOfUseGoBackAsOthersGrow(boolean isOwned) {
    allocate(isOwned, 32 * MIB, 16 * 1024);
    for (int i = live.size() - 1; i >= 0; i -= 2) {
      live.remove(i).free();
    }
    assertThat(pages.totals().liveBytes()).isEqualTo(32 * MIB);

    allocate(isOwned, 16 * MIB, 32 * 1024);

    assertThat(pages.totals().liveBytes()).isBetween(32 * MIB, 35 * MIB);
  }

  /** A stripe's lock is held meanwhile. */
  @Test
  void noBlockHasTheFreePagesOfManySlabsUnlinked() {
    allocate(/* isOwned= */ true, 48 * MIB, 16 * 1024);
    for (int i = live.size() - 1; i >= 0; i -= 2) {
      live.remove(i).free();
    }
    List<Integer> counts = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      int before = unlinkings;
      owned.beforeRun(LIMIT_BYTES / 4);
      counts.add(unlinkings - before);
    }
    assertThat(counts)
        .allMatch(count -> count <= ClockSweep.MAX_UNLINKED)
        .contains(ClockSweep.MAX_UNLINKED);
  }

  /**
   * Runs that replace each other, beside slabs in which nothing happens: there is no use in
   * looking.
   */
  @Test
  void slabsAreLeftAloneWhereNothingChanges() {
    allocate(/* isOwned= */ true, 16 * MIB, 16 * 1024);
    int slabs = owned.slabs().size();
    growBy(64 * MIB);

    int before = owned.sweep().steps();
    growBy(192 * MIB);

    // In the course of 24 MiB: 64 times half a ceiling of 768 KiB.
    assertThat(owned.sweep().steps() - before).isBetween(7 * slabs, 9 * slabs);
  }

  /** What comes free after all that is found at the pace of before, and a little later. */
  @Test
  void slabsThatWereLeftAloneAreFoundOnceTheyChange() {
    allocate(/* isOwned= */ true, 32 * MIB, 16 * 1024);
    growBy(64 * MIB);
    for (int i = live.size() - 1; i >= 0; i -= 2) {
      live.remove(i).free();
    }

    growBy(4 * MIB);

    assertThat(pages.totals().liveBytes()).isBetween(16 * MIB, 19 * MIB);
  }

  private void growBy(long bytes) {
    for (long done = 0; done < bytes; done += 256 * 1024) {
      owned.beforeRun(256 * 1024);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void holesOfSizesInUseAreUsedAgain(boolean isOwned) {
    allocate(isOwned, 16 * MIB, 16 * 1024);
    for (int round = 0; round < 8; round++) {
      for (int i = live.size() - 1; i >= 0; i -= 4) {
        live.remove(i).free();
      }
      allocate(isOwned, 4 * MIB, 16 * 1024);
    }

    assertThat(pages.totals().liveBytes()).isEqualTo(16 * MIB);
    assertThat(pages.totals().purgedBytes()).isZero();
  }

  /** How many are free in each class goes up and down, and the pages are not to go and come. */
  @Test
  void inASmallPoolReplacementKeepsItsPages() {
    assertThat(bytesThatComeAndGo(/* beside= */ 0)).isLessThan(100);
  }

  /** Beside 96 MiB they are a larger share than they are worth. */
  @Test
  void inALargerOneTheyAreHeldDown() {
    assertThat(bytesThatComeAndGo(96 * MIB)).isGreaterThan(200);
    assertThat(pages.totals().liveBytes()).isLessThan((96 + 34 + 14) * MIB);
  }

  /** By a step of the random replacement of 1,024 blocks of up to 64 KiB. */
  private long bytesThatComeAndGo(long beside) {
    allocate(/* isOwned= */ true, beside, 64 * 1024);
    int fixed = live.size();
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 1024; i++) {
      allocate(/* isOwned= */ true, 1, 1 + random.nextInt(64 * 1024));
    }
    long purged = 0;
    int steps = 200_000;
    for (int i = 0; i < 2 * steps; i++) {
      if (i == steps) {
        purged = pages.totals().purgedBytes();
      }
      int victim = fixed + random.nextInt(1024);
      live.set(victim, live.getLast()).free();
      live.removeLast();
      allocate(/* isOwned= */ true, 1, 1 + random.nextInt(64 * 1024));
    }
    return (pages.totals().purgedBytes() - purged) / steps;
  }
}
