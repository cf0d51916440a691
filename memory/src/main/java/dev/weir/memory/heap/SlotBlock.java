package dev.weir.memory.heap;

import dev.weir.memory.budget.Budget;
import org.jspecify.annotations.Nullable;

/** A slot of a slab. Free slots are linked through {@link #next}. */
final class SlotBlock extends Block {
  final Slab slab;

  /** The next free slot of the same list; undefined while the block is live. */
  @Nullable SlotBlock next;

  SlotBlock(Slab slab, long address, Budget budget) {
    super(address, budget);
    this.slab = slab;
  }

  @Override
  public long size() {
    return slab.slotBytes();
  }

  @Override
  public boolean tryGrow(long minBytes) {
    requireLive();
    return minBytes <= size();
  }

  @Override
  public boolean tryShrink(long minBytes) {
    requireLive();
    return false;
  }

  @Override
  public void release() {
    end();
    slab.heap().free(this);
  }
}
