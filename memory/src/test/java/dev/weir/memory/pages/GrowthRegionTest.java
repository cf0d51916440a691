package dev.weir.memory.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class GrowthRegionTest {
  private static final int PAGE_BYTES = 4096;
  private static final long BLOCK_BYTES = 64 << 10;

  private final GrowthRegion region = new GrowthRegion(GrowthPlan.of(64 << 20, 0), 0);

  private GrowthRange open(long bytes) {
    GrowthRange range = region.candidate(bytes);
    assertThat(range).isNotNull();
    region.take(range);
    region.set(range, bytes, bytes);
    return range;
  }

  private void close(GrowthRange range) {
    region.set(range, 0, range.residentBytes);
    region.giveBack(range);
  }

  @Test
  void whatComesBackNeedsNothingFromTheJavaHeap() {
    com.sun.management.ThreadMXBean threads =
        (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    List<GrowthRange> open = new ArrayList<>();
    for (int round = 0; round < 3; round++) {
      while (region.hasFree(BLOCK_BYTES) && open.size() < 200) {
        open.add(open(BLOCK_BYTES));
      }
      assertThat(open).hasSizeGreaterThan(10);
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < open.size(); i++) {
        close(open.get(i));
      }
      long allocated = threads.getCurrentThreadAllocatedBytes() - before;

      assertThat(allocated).as("in round %d", round).isLessThan(1_000);
      assertThat(region.dirtyBytes()).isEqualTo(open.size() * BLOCK_BYTES);
      region.checkInvariants();
      open.clear();
    }
  }

  @Test
  void theRoomThatHasBeenClosedLongestIsPurgedFirst() {
    GrowthRange first = open(BLOCK_BYTES);
    GrowthRange second = open(BLOCK_BYTES);
    close(second);
    close(first);

    PurgeClaim.OfRange claim = region.claimOldest(PAGE_BYTES);
    assertThat(claim).isNotNull();
    assertThat(claim.range()).isSameAs(second);
    region.settle(claim, /* purged= */ true);

    // The one that was closed last is the next to be used, and counts as closed anew after that.
    assertThat(open(BLOCK_BYTES)).isSameAs(first);
    close(first);
    claim = region.claimOldest(BLOCK_BYTES);
    assertThat(claim).isNotNull();
    assertThat(claim.range()).isSameAs(second);
    region.settle(claim, /* purged= */ true);
    claim = region.claimOldest(BLOCK_BYTES);
    assertThat(claim).isNotNull();
    assertThat(claim.range()).isSameAs(first);
    region.settle(claim, /* purged= */ true);
    assertThat(region.claimOldest(BLOCK_BYTES)).isNull();
    region.checkInvariants();
  }
}
