package dev.weir.netty.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.budget.Budget;
import io.netty.buffer.UnpooledByteBufAllocator;
import org.junit.jupiter.api.Test;

class ArraySourceTest {
  @Test
  void anArrayThatCannotBeMadeIsNotCounted() {
    try (Pool pool = Pool.create(PoolOptions.withLimit(1 << 20))) {
      Budget budget = pool.rootBudget().child("arrays", Budget.UNLIMITED);
      ArraySource source =
          new ArraySource(new HeapArrays(), budget, UnpooledByteBufAllocator.DEFAULT);

      assertThatExceptionOfType(NegativeArraySizeException.class).isThrownBy(() -> source.take(-1));

      assertThat(budget.heapBytes()).isZero();
    }
  }
}
