package dev.weir.lab.subject;

import dev.weir.lab.memory.AddressRange;
import dev.weir.netty.flow.Admission;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * One of Netty's allocators. Its own count is that of its chunks; it keeps no mark of the peak, and
 * only the pooled one tells what is live.
 */
record NettyUnderTest(ByteBufAllocator allocator, Optional<Admission> admission)
    implements AllocatorUnderTest {

  @Override
  public long residentBytes() {
    return ((ByteBufAllocatorMetricProvider) allocator).metric().usedDirectMemory();
  }

  @Override
  public OptionalLong peakResidentBytes() {
    return OptionalLong.empty();
  }

  @Override
  public OptionalLong liveBytes() {
    return allocator instanceof PooledByteBufAllocator pooled
        ? OptionalLong.of(pooled.pinnedDirectMemory())
        : OptionalLong.empty();
  }

  @Override
  public Optional<AddressRange> addresses() {
    return Optional.empty();
  }
}
