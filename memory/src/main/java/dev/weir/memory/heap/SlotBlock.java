package dev.weir.memory.heap;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.pages.PageHeap;
import org.jspecify.annotations.Nullable;

/** A slot of a slab. */
final class SlotBlock extends Block {
  final Slab slab;

  /** Its position in the slab. */
  final char number;

  /** The next in the slab's remote stack; undefined while the slot is not in it. */
  @Nullable SlotBlock next;

  SlotBlock(Slab slab, char number, long address, Budget budget) {
    super(address, budget);
    this.slab = slab;
    this.number = number;
  }

  @Override
  PageHeap pages() {
    return slab.heap().pages();
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
