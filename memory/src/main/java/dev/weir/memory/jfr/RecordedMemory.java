package dev.weir.memory.jfr;

import dev.weir.memory.os.NativeMemory;
import dev.weir.memory.os.PurgeRanges;

/** System memory whose purges are events, those that fail too. */
record RecordedMemory(NativeMemory memory) implements NativeMemory {
  @Override
  public void purge(long address, long bytes) {
    PurgeTimer timer = FlightRecords.beginPurge();
    try {
      memory.purge(address, bytes);
    } finally {
      if (timer != null) {
        FlightRecords.endPurge(timer, bytes, 1);
      }
    }
  }

  @Override
  public void purge(PurgeRanges ranges) {
    int first = ranges.purged();
    PurgeTimer timer = FlightRecords.beginPurge();
    try {
      memory.purge(ranges);
    } finally {
      if (timer != null) {
        long bytes = 0;
        for (int range = first; range < ranges.purged(); range++) {
          bytes += ranges.bytes(range);
        }
        FlightRecords.endPurge(timer, bytes, ranges.purged() - first);
      }
    }
  }

  @Override
  public int pageBytes() {
    return memory.pageBytes();
  }

  @Override
  public boolean canPurge() {
    return memory.canPurge();
  }

  @Override
  public long freeAddressBytes() {
    return memory.freeAddressBytes();
  }

  @Override
  public long reserve(long bytes) {
    return memory.reserve(bytes);
  }

  @Override
  public boolean tryMove(long from, long to, long bytes) {
    return memory.tryMove(from, to, bytes);
  }

  @Override
  public void copy(long from, long to, long bytes) {
    memory.copy(from, to, bytes);
  }

  @Override
  public void release(long address, long bytes) {
    memory.release(address, bytes);
  }
}
