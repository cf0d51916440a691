package dev.weir.lab.subject;

import dev.weir.netty.flow.Admission;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * One of Netty's allocators. Its own count is that of its chunks, or of its buffers where it has no
 * chunks; it keeps no mark of the peak, and the adaptive one does not tell what is live.
 */
record NettyUnderTest(ByteBufAllocator allocator, Optional<Admission> admission)
    implements AllocatorUnderTest {

  @Override
  public OptionalLong residentBytes() {
    return OptionalLong.of(usedBytes());
  }

  @Override
  public OptionalLong liveBytes() {
    return switch (allocator) {
      case PooledByteBufAllocator pooled -> OptionalLong.of(pooled.pinnedDirectMemory());
      case UnpooledByteBufAllocator unpooled -> OptionalLong.of(usedBytes());
      default -> OptionalLong.empty();
    };
  }

  private long usedBytes() {
    return ((ByteBufAllocatorMetricProvider) allocator).metric().usedDirectMemory();
  }
}
