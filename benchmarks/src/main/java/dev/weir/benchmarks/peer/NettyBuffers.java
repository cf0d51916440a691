package dev.weir.benchmarks.peer;

import dev.weir.memory.Pool;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** Direct buffers of one of Netty's or Weir's allocators. */
final class NettyBuffers extends Buffers<ByteBuf> {
  private final ByteBufAllocator allocator;
  private final Optional<Pool> pool;

  private NettyBuffers(PeerAllocator of) {
    this.allocator = of.allocator();
    this.pool = of.pool();
  }

  /** The buffers of {@code of}, with the JVM in the {@link JitState} it is to have. */
  static Buffers<?> of(PeerAllocator of) {
    if (JitState.current() == JitState.SERVICE) {
      ServiceProfile.show(of.allocator());
    }
    return new NettyBuffers(of);
  }

  @Override
  public ByteBuf allocate(int bytes) {
    return allocator.directBuffer(bytes);
  }

  @Override
  public void release(ByteBuf buffer) {
    buffer.release();
  }

  @Override
  public void touch(ByteBuf buffer, int bytes) {
    for (int at = 0; at < bytes; at += PAGE_BYTES) {
      buffer.setByte(at, 1);
    }
  }

  @Override
  public long address(ByteBuf buffer) {
    return buffer.hasMemoryAddress()
        ? buffer.memoryAddress()
        : MemorySegment.ofBuffer(buffer.internalNioBuffer(0, buffer.capacity())).address();
  }

  @Override
  public Optional<Pool> pool() {
    return pool;
  }

  @Override
  public void append(ByteBuf buffer, byte[] chunk) {
    buffer.writeBytes(chunk);
  }
}
