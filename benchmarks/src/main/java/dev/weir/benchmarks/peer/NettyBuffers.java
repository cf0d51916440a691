package dev.weir.benchmarks.peer;

import dev.weir.lab.memory.AddressRange;
import dev.weir.netty.WeirAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Optional;

/** Direct buffers of one of Netty's or Weir's allocators. */
final class NettyBuffers extends Buffers<ByteBuf> {
  private final ByteBufAllocator allocator;

  private NettyBuffers(ByteBufAllocator allocator) {
    this.allocator = allocator;
  }

  /** The buffers of {@code allocator}, with the JVM in the {@link JitState} it is to have. */
  static Buffers<?> of(ByteBufAllocator allocator) {
    if (JitState.current() == JitState.SERVICE) {
      ServiceProfile.show(allocator);
    }
    return new NettyBuffers(allocator);
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
  public Optional<AddressRange> addresses() {
    return allocator instanceof WeirAllocator weir
        ? Optional.of(
            new AddressRange(weir.pool().reservationAddress(), weir.pool().reservationBytes()))
        : Optional.empty();
  }

  @Override
  public void append(ByteBuf buffer, byte[] chunk) {
    buffer.writeBytes(chunk);
  }
}
