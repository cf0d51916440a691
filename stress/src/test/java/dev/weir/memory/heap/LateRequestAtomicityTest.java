package dev.weir.memory.heap;

import dev.weir.stress.ModelChecking;
import java.util.ArrayList;
import java.util.List;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/**
 * A heap is asked for the free pages of a slab that it has retired since, while another heap takes
 * that slab: whatever the moment, the former owner leaves it alone.
 */
public class LateRequestAtomicityTest {
  private final SmallHeap small = new SmallHeap();
  private final Heap other = small.newHeap();
  private final Slab slab;

  public LateRequestAtomicityTest() {
    Slot slot = small.take();
    slab = slot.slab();
    slot.freeInto(small.heap);
    small.heap.retireEmptySlabs();
  }

  @Operation(nonParallelGroup = "former owner")
  public int unlinkLate() {
    List<InsidePurge> purges = new ArrayList<>();
    small.heap.unlinks().unlinkFree(List.of(slab), /* agedOnly= */ false, purges::add);
    return purges.size();
  }

  @Operation(runOnce = true)
  public boolean takeElsewhere() {
    return SmallHeap.take(other).slab() == slab;
  }

  @Test
  void everyOperationIsAtomic() {
    ModelChecking.check(getClass(), /* scenarios= */ 4);
  }
}
