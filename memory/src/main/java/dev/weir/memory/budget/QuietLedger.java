package dev.weir.memory.budget;

import java.util.function.LongSupplier;

/** The ledger of a tree whose pool nobody looks after. */
record QuietLedger(LongSupplier limit, LongSupplier liveBlocks) implements RootLedger {
  @Override
  public long limitBytes() {
    return limit.getAsLong();
  }

  @Override
  public long liveBlockBytes() {
    return liveBlocks.getAsLong();
  }

  @Override
  public long liveHeapBytes() {
    return 0;
  }

  @Override
  public long heldHeapBytes() {
    return 0;
  }

  @Override
  public long usedBytes() {
    return liveBlockBytes();
  }

  @Override
  public void watchUsed(long fallsBelow, long risesAt) {}

  @Override
  public void pressureMoved() {}

  @Override
  public void roomFreed() {}
}
