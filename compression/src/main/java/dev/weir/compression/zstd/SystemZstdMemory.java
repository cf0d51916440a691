package dev.weir.compression.zstd;

import dev.weir.compression.context.ContextMemory;
import dev.weir.compression.context.LastResort;
import dev.weir.memory.Block;
import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Cleaner;
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
  private final MemorySegment positions;
  private final long workspaceBytes;

  private SystemZstdMemory(Block block, MemorySegment positions, long workspaceBytes) {
    this.block = block;
    this.positions = positions;
    this.workspaceBytes = workspaceBytes;
  }

  /** What {@link #tryAllocate} asks for. */
  static long blockBytes(long workspaceBytes) {
    return workspaceBytes + POSITIONS_BYTES + ALIGNMENT;
  }

  static @Nullable SystemZstdMemory tryAllocate(long workspaceBytes, ContextMemory memory) {
    Block block = memory.tryAllocate(blockBytes(workspaceBytes));
    return block == null ? null : in(block, workspaceBytes);
  }

  /** Takes a block over. */
  private static SystemZstdMemory in(Block block, long workspaceBytes) {
    SystemZstdMemory made = null;
    try {
      made =
          new SystemZstdMemory(block, block.segment().asSlice(0, POSITIONS_BYTES), workspaceBytes);
      return made;
    } finally {
      if (made == null) {
        block.release();
      }
    }
  }

  /** Has the next call begin at the beginnings of its buffers; where it is to tell how it ends. */
  long resetPositions() {
    positions.set(ValueLayout.JAVA_LONG, 0, 0);
    positions.set(ValueLayout.JAVA_LONG, Long.BYTES, 0);
    return block.address();
  }

  /** Takes note in the buffers of how far the last call has come. */
  void advance(ByteBuf source, ByteBuf target) {
    target.writerIndex(target.writerIndex() + (int) positions.get(ValueLayout.JAVA_LONG, 0));
    source.skipBytes((int) positions.get(ValueLayout.JAVA_LONG, Long.BYTES));
  }

  /** What the context of this memory is charged. */
  long bytesWith(@Nullable SystemZstdDictionary dictionary) {
    return block.size() + (dictionary == null ? 0 : dictionary.bytes());
  }

  /** Has this memory go back with its context, or when that is lost. */
  Cleaner.Cleanable releaseWith(Object context, @Nullable SystemZstdDictionary dictionary) {
    Block held = block;
    return LastResort.register(context, () -> release(held, dictionary));
  }

  /** Gives the memory back at once: no context has come of it. */
  void release(@Nullable SystemZstdDictionary dictionary) {
    release(block, dictionary);
  }

  private static void release(Block block, @Nullable SystemZstdDictionary dictionary) {
    try {
      if (dictionary != null) {
        dictionary.close();
      }
    } finally {
      block.release();
    }
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
