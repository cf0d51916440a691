package dev.weir.compression.zstd;

import dev.weir.compression.context.ContextMemory;
import dev.weir.memory.heap.Block;
import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A block of the pool as a context uses it: two words that calls return positions in, then, on a
 * cache line of its own, the workspace of the library.
 */
final class SystemZstdMemory {
  /** A cache line, which is what the library aligns its tables to. */
  private static final int ALIGNMENT = 64;

  private static final int POSITIONS_BYTES = 2 * Long.BYTES;

  private final Block block;
  private final long workspaceBytes;

  private SystemZstdMemory(Block block, long workspaceBytes) {
    this.block = block;
    this.workspaceBytes = workspaceBytes;
  }

  static @Nullable SystemZstdMemory tryAllocate(long workspaceBytes, ContextMemory memory) {
    Block block = memory.tryAllocate(workspaceBytes + POSITIONS_BYTES + ALIGNMENT);
    return block == null ? null : new SystemZstdMemory(block, workspaceBytes);
  }

  Block block() {
    return block;
  }

  MemorySegment positions() {
    return block.segment().asSlice(0, POSITIONS_BYTES);
  }

  long positionsAddress() {
    return block.address();
  }

  long workspaceAddress() {
    return block.address() + POSITIONS_BYTES + ALIGNMENT - 1 & -ALIGNMENT;
  }

  long workspaceBytes() {
    return workspaceBytes;
  }

  /** Where index 0 of a direct buffer in one piece lies. */
  static long addressOf(ByteBuf buffer) {
    return buffer.hasMemoryAddress()
        ? buffer.memoryAddress()
        : MemorySegment.ofBuffer(buffer.internalNioBuffer(0, buffer.capacity())).address();
  }
}
