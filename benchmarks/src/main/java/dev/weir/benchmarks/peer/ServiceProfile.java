package dev.weir.benchmarks.peer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;

/**
 * Runs the buffer calls of a service before anything is measured. A JVM whose only buffers are
 * those of one loop compiles Netty's shared code for that single type, and shows times that no
 * service sees: there, heap buffers, slices, duplicates and composites of two allocators pass
 * through the same methods. Every peer gets the same mix.
 */
final class ServiceProfile {
  /** Each call runs several times as often as the JVM waits before it compiles with a profile. */
  private static final int ROUNDS = 5_000;

  private static final int SIZES = 4096;

  private ServiceProfile() {}

  /** Shows this JVM {@code allocator} as a service uses it; every buffer is released again. */
  static void show(ByteBufAllocator allocator) {
    long read = 0;
    for (int round = 0; round < ROUNDS; round++) {
      read += round(allocator, 1 + round % SIZES);
      read += round(UnpooledByteBufAllocator.DEFAULT, 1 + round % SIZES);
    }
    if (read != 0) {
      throw new AssertionError("buffers lose what is written to them");
    }
  }

  private static long round(ByteBufAllocator allocator, int bytes) {
    long read = use(allocator.directBuffer(bytes)) + use(allocator.heapBuffer(bytes));
    read += use(allocator.buffer()) + use(allocator.ioBuffer(bytes));
    ByteBuf parent = allocator.directBuffer(64);
    read += use(parent.retainedSlice(0, 32).clear()) + use(parent.retainedDuplicate());
    parent.release();
    CompositeByteBuf pair = allocator.compositeDirectBuffer(2);
    pair.addComponent(/* increaseWriterIndex= */ true, allocator.directBuffer(8).writeLong(0));
    pair.addComponent(/* increaseWriterIndex= */ true, allocator.heapBuffer(8).writeLong(0));
    read += pair.readLong() + pair.readLong();
    pair.release();
    return read;
  }

  private static long use(ByteBuf buffer) {
    buffer.writeLong(0);
    long read = buffer.readLong();
    buffer.release();
    return read;
  }
}
