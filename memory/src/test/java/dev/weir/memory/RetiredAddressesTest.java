package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.heap.SizeClasses;
import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.pages.ReservationPlan;
import dev.weir.memory.pages.SpanSize;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A slab that holds nothing but dirty pages, and the last addresses for slabs. */
class RetiredAddressesTest {
  private static final long LIMIT_BYTES = 4 << 20;
  private static final int SLOT_BYTES = SizeClasses.MAX_SLOT_BYTES;
  private static final int SLOTS = SpanSize.LARGE.bytes() / SLOT_BYTES;
  private static final int PAGE = 4_096;

  private final FakeNativeMemory os = new FakeNativeMemory();

  /** Promises are not resident: nothing is purged for them, and nothing for what fits. */
  @Test
  void addressesOfRetiredSlabsAreFreedForARequestThatTheLimitAdmitsButNotAllTheirPages() {
    ReservationPlan plan = ReservationPlan.of(LIMIT_BYTES, PAGE, 6);
    os.limitReservations(plan.bytes() + 4 * SpanSize.LARGE.bytes());
    Pool pool =
        Pool.create(
            PoolOptions.withLimit(LIMIT_BYTES).withDecay(Duration.ofDays(1)).withNativeMemory(os));
    // No other thread is in the way of its releases, as the purger may be of a stripe's.
    OwnedHeap heap = pool.support().ownedHeap(task -> {});
    Budget root = pool.rootBudget();
    List<Block> retired = new ArrayList<>();
    for (int i = 0; i < SLOTS; i++) {
      retired.add(pool.support().allocateBlock(heap, SLOT_BYTES, root));
    }
    assertThat(pool.snapshot().guarantee()).isEqualTo(plan.guarantee());
    List<Block> live = new ArrayList<>();
    int sizeClass = SizeClasses.classOf(SLOT_BYTES);
    for (int span = 1; span < plan.largeSpans(); span++) {
      live.add(pool.support().allocateBlock(heap, SizeClasses.slotBytes(sizeClass--), root));
    }
    retired.forEach(Block::release);
    PoolSnapshot before = pool.snapshot();
    assertThat(before.dirtyBytes()).isGreaterThanOrEqualTo(SpanSize.LARGE.bytes());
    Grant grant = pool.tryGrant(pool.largestGrantBytes(root) - before.liveBytes(), root);
    assertThat(grant).isNotNull();
    // What is left now is less than the pages of the retired slab.
    live.add(pool.support().allocateBlock(heap, SLOT_BYTES, root));
    assertThat(pool.snapshot().dirtyBytes()).isEqualTo(before.dirtyBytes());

    Block block = pool.support().tryAllocateBlock(heap, SizeClasses.slotBytes(sizeClass), root);

    assertThat(block).as("%s", pool.snapshot()).isNotNull();
    live.add(block);
    live.forEach(Block::release);
    grant.close();
    heap.close();
    pool.close();
  }
}
