package dev.weir.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.BudgetExceededError;
import io.netty.buffer.ByteBuf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** How direct buffers grow, shrink, and are refused. */
class GrowthTest {
  private static final int MIB = 1 << 20;

  @RegisterExtension static final PoolUnderTest MEMORY = new PoolUnderTest();

  private final WeirAllocator allocator = MEMORY.allocator();

  @Test
  void aLargeBufferGrowsInPlace() {
    ByteBuf body = allocator.directBuffer(MIB);
    long address = body.memoryAddress();
    for (int written = 0; written < 32 * MIB; written += MIB) {
      body.writeZero(MIB);
    }
    assertThat(body.memoryAddress()).isEqualTo(address);
    assertThat(body.nioBuffer().remaining()).isEqualTo(32 * MIB);
    body.release();
  }

  @Test
  void shrinkingALargeBufferGivesItsPagesBack() {
    ByteBuf body = allocator.directBuffer(8 * MIB).writeLong(42);
    long before = MEMORY.pool().liveBlockBytes();
    body.capacity(MIB);
    assertThat(before - MEMORY.pool().liveBlockBytes()).isEqualTo(7 * MIB);
    assertThat(body.readLong()).isEqualTo(42);
    assertThat(body.internalNioBuffer(MIB - 1, 1).remaining()).isEqualTo(1);
    body.release();
  }

  @Test
  void growthRefusedByABudgetLeavesTheBufferIntact() {
    Budget narrow = MEMORY.pool().rootBudget().child("narrow", 100_000);
    ByteBuf buffer = allocator.charging(narrow).directBuffer(1_000);
    assertRefusedUnharmed(buffer, 200_000);
    assertThat(narrow.chargedBytes()).isEqualTo(1_024);
    buffer.release();
    assertThat(narrow.chargedBytes()).isZero();
  }

  @Test
  void growthRefusedByThePoolLeavesTheBufferIntact() {
    ByteBuf buffer = allocator.directBuffer(100_000);
    assertRefusedUnharmed(buffer, 300 * MIB);
    buffer.release();
  }

  private static void assertRefusedUnharmed(ByteBuf buffer, int tooMuch) {
    buffer.writeZero(100).writeLong(42).skipBytes(100);
    long address = buffer.memoryAddress();
    int capacity = buffer.capacity();
    assertThatThrownBy(() -> buffer.capacity(tooMuch)).isInstanceOf(BudgetExceededError.class);
    assertThatThrownBy(() -> buffer.ensureWritable(tooMuch))
        .isInstanceOf(BudgetExceededError.class);
    assertThat(buffer.capacity()).isEqualTo(capacity);
    assertThat(buffer.memoryAddress()).isEqualTo(address);
    assertThat(buffer.refCnt()).isEqualTo(1);
    assertThat(buffer.readLong()).isEqualTo(42);
  }

  @Test
  void aRefusedAllocationThrowsAnOutOfMemoryErrorThatNamesTheBudget() {
    Budget narrow = MEMORY.pool().rootBudget().child("uploads", 100_000);
    assertThatThrownBy(() -> allocator.charging(narrow).directBuffer(200_000))
        .isInstanceOf(OutOfMemoryError.class)
        .hasMessageContaining("uploads")
        .hasMessageContaining("100");
  }
}
