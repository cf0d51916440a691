package dev.weir.memory;

import dev.weir.memory.array.ArrayPool;
import dev.weir.memory.budget.RootLedger;
import org.jspecify.annotations.Nullable;

/** What the tree of budgets knows of its pool: nothing is used before the first allocation. */
final class PoolLedger implements RootLedger {
  private final ArrayPool arrays;
  private volatile long limitBytes;
  private volatile @Nullable PoolCore core;

  PoolLedger(long limitBytes, ArrayPool arrays) {
    this.limitBytes = limitBytes;
    this.arrays = arrays;
  }

  void setLimit(long bytes) {
    limitBytes = bytes;
  }

  /** The pool has allocated for the first time. */
  void begin(PoolCore parts) {
    core = parts;
    parts.pressureMoved();
  }

  @Override
  public long limitBytes() {
    return limitBytes;
  }

  @Override
  public long liveBlockBytes() {
    PoolCore parts = core;
    return parts == null ? 0 : parts.liveBlockBytes();
  }

  @Override
  public long liveHeapBytes() {
    return arrays.liveBytes();
  }

  @Override
  public long heldHeapBytes() {
    return arrays.heldBytes();
  }

  @Override
  public long usedBytes() {
    PoolCore parts = core;
    return parts == null ? 0 : parts.pages().usedBytes();
  }

  @Override
  public void watchUsed(long fallsBelow, long risesAt) {
    PoolCore parts = core;
    if (parts != null) {
      parts.pages().watchUsed(fallsBelow, risesAt);
    }
  }

  @Override
  public void pressureMoved() {
    PoolCore parts = core;
    if (parts != null) {
      parts.pressureMoved();
    }
  }

  @Override
  public void roomFreed() {
    PoolCore parts = core;
    if (parts != null) {
      parts.roomFreed();
    }
  }
}
