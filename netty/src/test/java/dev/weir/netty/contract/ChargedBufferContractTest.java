package dev.weir.netty.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.budget.Budget;
import dev.weir.netty.PoolUnderTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Buffers charged to a budget of their own, through a view of the allocator. */
class ChargedBufferContractTest extends DirectBufferContract {
  @RegisterExtension static final PoolUnderTest MEMORY = new PoolUnderTest();

  private static final Budget FEATURE = MEMORY.pool().rootBudget().child("feature", 192 << 20);
  private static final ByteBufAllocator VIEW = MEMORY.allocator().charging(FEATURE);

  @Override
  ByteBuf allocate(int capacity, int maxCapacity) {
    return VIEW.directBuffer(capacity, maxCapacity);
  }

  @Test
  void buffersStayWithTheirView() {
    ByteBuf buffer = newBuffer(100, 1_000);
    assertThat(buffer.alloc()).isSameAs(VIEW);
    assertThat(FEATURE.chargedBytes()).isGreaterThanOrEqualTo(100);
    buffer.release();
  }

  @AfterAll
  static void nothingIsChargedAnyMore() {
    assertThat(FEATURE.chargedBytes()).isZero();
    assertThat(FEATURE.heapBytes()).isZero();
  }
}
