package dev.weir.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.IllegalReferenceCountException;
import org.junit.jupiter.api.Test;

/** Whose reference a second release of a retained slice takes, as the guide says. */
class RetainedSliceTest {
  /** Takes two references where there is one to take. */
  private static ByteBuf parentOfSliceReleasedTwice(ByteBufAllocator allocator) {
    ByteBuf parent = allocator.directBuffer(100);
    ByteBuf slice = parent.retainedSlice(0, 10);
    slice.release();
    slice.release();
    return parent;
  }

  @Test
  void theParentIsFreedAsWithNettysAdaptiveAllocator() {
    try (WeirAllocator allocator = WeirAllocator.withLimit(16 << 20)) {
      assertThat(parentOfSliceReleasedTwice(allocator).refCnt()).isZero();
      assertThat(allocator.pool().liveBlockBytes()).isZero();
    }
    assertThat(parentOfSliceReleasedTwice(new AdaptiveByteBufAllocator()).refCnt()).isZero();
  }

  @Test
  void nettysPooledAllocatorRefusesIt() {
    assertThatExceptionOfType(IllegalReferenceCountException.class)
        .isThrownBy(() -> parentOfSliceReleasedTwice(new PooledByteBufAllocator()));
  }
}
