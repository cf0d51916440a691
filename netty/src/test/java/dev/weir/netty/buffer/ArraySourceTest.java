package dev.weir.netty.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.BudgetExceededError;
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

  @Test
  void aRefusalNamesTheHeapLimitAndWhereItIsSet() {
    try (Pool pool =
        Pool.create(PoolOptions.withLimit(1 << 20).withName("pool").withHeapLimit(5_000))) {
      Budget budget = pool.rootBudget().child("arrays", Budget.UNLIMITED);
      ArraySource source =
          new ArraySource(new HeapArrays(), budget, UnpooledByteBufAllocator.DEFAULT);
      source.take(3_000);

      assertThatExceptionOfType(BudgetExceededError.class)
          .isThrownBy(() -> source.take(2_001))
          .withMessage(
              "budget 'pool' has no room for 2,001 bytes of heap buffers: heap limit 5,000,"
                  + " held 3,000. Raise it (PoolOptions.withHeapLimit, Budget.setHeapLimitBytes),"
                  + " or release or admit less.")
          .satisfies(error -> assertThat(error.budget()).isSameAs(pool.rootBudget()));
      budget.setHeapLimitBytes(4_000);
      assertThatExceptionOfType(BudgetExceededError.class)
          .isThrownBy(() -> source.take(1_001))
          .withMessage(
              "budget 'pool/arrays' has no room for 1,001 bytes of heap buffers: heap limit 4,000,"
                  + " held 3,000. Raise it (Budget.setHeapLimitBytes), or release or admit less.");
    }
  }

  @Test
  void aRefusalSaysThatTheBudgetIsClosed() {
    try (Pool pool = Pool.create(PoolOptions.withLimit(1 << 20).withName("pool"))) {
      Budget budget = pool.rootBudget().child("arrays", Budget.UNLIMITED);
      ArraySource source =
          new ArraySource(new HeapArrays(), budget, UnpooledByteBufAllocator.DEFAULT);
      budget.close();

      assertThatExceptionOfType(BudgetExceededError.class)
          .isThrownBy(() -> source.take(1))
          .withMessage(
              "budget 'pool/arrays' has no room for 1 bytes of heap buffers: closed, held 0."
                  + " It stays so: charge another budget.");
    }
  }
}
