package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.weir.memory.array.ArrayPool;
import dev.weir.memory.array.ArraySlab;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.heap.OwnedHeap;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class PoolSnapshotTest {
  private final Pool pool =
      Pool.create(PoolOptions.withLimit(8 << 20).withName("seen").withDecay(Duration.ofDays(1)));

  @Test
  void aPoolWithoutMemoryHasASnapshot() {
    PoolSnapshot snapshot = pool.snapshot();

    assertThat(snapshot.residentBytes()).isZero();
    assertThat(snapshot.liveBlockBytes()).isZero();
    assertThat(snapshot.slabs()).isEmpty();
    assertThat(snapshot.toString()).contains("pool seen").contains("nothing reserved yet");
  }

  @Test
  void aSnapshotTellsOfTheArraysBehindHeapBuffers() {
    pool.rootBudget().child("tls", Budget.UNLIMITED);
    ArrayPool arrays = pool.support().arrays();
    ArraySlab home = arrays.tryAllocate(/* heap= */ null, 1_000, (slab, number, found) -> slab);
    long heldBytes = pool.rootBudget().heldHeapBytes();
    assertThat(heldBytes).isGreaterThan(1_024);
    assertThat(home.slotBytes()).isEqualTo(1_024);

    PoolSnapshot.Charge root = pool.snapshot().budgets().getFirst();
    assertThat(root.heapBytes()).isEqualTo(1_024);
    assertThat(root.heldHeapBytes()).isEqualTo(heldBytes);
    assertThat(pool.snapshot().budgets().getLast().heldHeapBytes()).isZero();
    assertThat(pool.snapshot().toString())
        .contains("heap buffers 1,024 in arrays of %,d, limit".formatted(heldBytes))
        .contains("budget seen/tls: charged 0, heap buffers 0, limit");
    pool.close();
  }

  @Test
  void aSnapshotTellsWhatIsLiveByKind() {
    Budget budget = pool.rootBudget().child("uploads", 1 << 20);
    OwnedHeap heap = pool.support().ownedHeap(task -> {});
    List<Block> live =
        List.of(
            pool.allocate(100_000, budget),
            pool.allocate(1_000, budget),
            pool.support().allocateBlock(heap, 1_000, budget),
            pool.support().allocateBlock(heap, 60, pool.rootBudget()));
    pool.allocate(300_000).release();

    PoolSnapshot snapshot = pool.snapshot();

    assertThat(snapshot.runs()).isEqualTo(1);
    assertThat(snapshot.runBytes()).isEqualTo(102_400);
    assertThat(snapshot.ownedHeaps()).isEqualTo(1);
    assertThat(snapshot.slabs())
        .extracting(PoolSnapshot.Slots::slotBytes, PoolSnapshot.Slots::liveBlocks)
        .containsExactly(tuple(64, 1L), tuple(1024, 2L));
    assertThat(snapshot.liveBlockBytes())
        .isEqualTo(102_400 + 2 * 1_024 + 64)
        .isEqualTo(pool.liveBlockBytes());
    assertThat(snapshot.dirtyBytes()).isEqualTo(303_104).isEqualTo(pool.dirtyBytes());
    assertThat(snapshot.residentBytes()).isEqualTo(pool.residentBytes());
    assertThat(snapshot.peakResidentBytes()).isEqualTo(pool.peakResidentBytes());
    assertThat(snapshot.budgets())
        .extracting(PoolSnapshot.Charge::path)
        .containsExactly("seen", "seen/uploads");
    assertThat(snapshot.budgets().get(1).chargedBytes()).isEqualTo(102_400 + 2 * 1_024);
    assertThat(snapshot.toString())
        .contains("pool seen")
        .contains("budget seen/uploads")
        .contains("heaps of event loops: 1");

    live.forEach(Block::release);
    heap.close();
    pool.trim();
    assertThat(pool.snapshot().residentBytes()).isZero();
    assertThat(pool.snapshot().slabs()).isEmpty();
    assertThat(pool.snapshot().purgedBytes()).isPositive();
    pool.close();
  }
}
