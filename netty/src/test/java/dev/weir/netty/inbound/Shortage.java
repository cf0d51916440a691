package dev.weir.netty.inbound;

import dev.weir.netty.WeirAllocator;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/** A time at which an allocator has nothing, neither direct memory nor heap. */
public final class Shortage {
  private final List<ByteBuf> taken = new ArrayList<>();
  private final WeirAllocator allocator;

  /**
   * Takes all that this thread could be given.
   *
   * @param leastBytes direct blocks that are smaller are left; 16 leaves nothing
   */
  public Shortage(WeirAllocator allocator, int leastBytes) {
    this.allocator = allocator;
    allocator.pool().rootBudget().setHeapLimitBytes(1);
    for (int bytes = 1 << 20; bytes >= leastBytes; ) {
      try {
        taken.add(allocator.directBuffer(bytes));
      } catch (OutOfMemoryError full) {
        bytes >>= 1;
      }
    }
  }

  public void end() {
    taken.forEach(ByteBuf::release);
    allocator.pool().rootBudget().setHeapLimitBytes(Long.MAX_VALUE);
  }

  /** Runs an action meanwhile. */
  static void during(WeirAllocator allocator, int leastBytes, Runnable action) {
    Shortage shortage = new Shortage(allocator, leastBytes);
    action.run();
    shortage.end();
  }
}
