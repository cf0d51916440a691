package dev.weir.lab.contender;

import dev.weir.lab.memory.LivePages;
import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.netty.WeirAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import java.util.Arrays;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Blocks that are heap buffers of a {@code ByteBufAllocator}. The collector moves arrays, so an
 * address stands for the array, by its identity, and the place in it.
 */
final class HeapStore implements BlockStore {
  /** No array is longer. */
  private static final int ARRAY_SHIFT = 31;

  private final ByteBufAllocator allocator;
  private final LongSupplier heldBytes;
  private final Writing writing;
  private @Nullable ByteBuf[] buffers = new ByteBuf[64];

  private HeapStore(ByteBufAllocator allocator, LongSupplier heldBytes, Writing writing) {
    this.allocator = allocator;
    this.heldBytes = heldBytes;
    this.writing = writing;
  }

  /** Of Weir, whose arrays may take so many bytes. */
  static HeapStore weir(long limitBytes, Writing writing) {
    PoolOptions options = PoolOptions.withLimit(limitBytes).withHeapLimit(limitBytes);
    Pool pool = Pool.create(options.withName("lab"));
    return new HeapStore(new WeirAllocator(pool), pool.rootBudget()::heldHeapBytes, writing);
  }

  /** Of one of Netty's, which counts its chunks. */
  static <A extends ByteBufAllocator & ByteBufAllocatorMetricProvider> HeapStore netty(
      A allocator, Writing writing) {
    return new HeapStore(allocator, () -> allocator.metric().usedHeapMemory(), writing);
  }

  @Override
  public long allocate(int slot, int bytes) {
    if (slot >= buffers.length) {
      buffers = Arrays.copyOf(buffers, Math.max(slot + 1, buffers.length * 2));
    }
    ByteBuf buffer;
    try {
      buffer = allocator.heapBuffer(bytes);
    } catch (OutOfMemoryError refused) {
      return REFUSED;
    }
    writing.write(buffer, bytes);
    buffers[slot] = buffer;
    return address(buffer);
  }

  private static long address(ByteBuf buffer) {
    long array = System.identityHashCode(buffer.array());
    return (array << ARRAY_SHIFT) + buffer.arrayOffset() + LivePages.PAGE_BYTES;
  }

  @Override
  public long grow(int slot, int before, int bytes) {
    ByteBuf buffer = Objects.requireNonNull(buffers[slot]);
    try {
      buffer.writerIndex(Math.min(before, bytes)).capacity(bytes);
    } catch (OutOfMemoryError refused) {
      return REFUSED;
    }
    return address(buffer);
  }

  @Override
  public void release(int slot) {
    Objects.requireNonNull(buffers[slot]).release();
    buffers[slot] = null;
  }

  /** False: what an address stands for is not there. */
  @Override
  public boolean isReal() {
    return false;
  }

  @Override
  public OptionalLong residentBytes() {
    return OptionalLong.of(heldBytes.getAsLong());
  }
}
