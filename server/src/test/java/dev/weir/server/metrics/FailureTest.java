package dev.weir.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.BudgetExceededError;
import io.netty.handler.codec.EncoderException;
import org.junit.jupiter.api.Test;

class FailureTest {
  /** What is written when a client has gone is refused by its budget, however much there is. */
  @Test
  void aBudgetThatHasEndedWithItsClientIsNoWantOfMemory() {
    try (Pool pool = Pool.create(PoolOptions.withLimit(4 << 20))) {
      Budget client = pool.rootBudget().child("client", /* limitBytes= */ 1_000);
      assertThat(refusal(pool, client)).isEqualTo(Failure.MEMORY);
      client.close();
      assertThat(refusal(pool, client)).isEqualTo(Failure.PEER);
    }
  }

  private static Failure refusal(Pool pool, Budget budget) {
    try {
      pool.allocate(100_000, budget).release();
      throw new AssertionError("not refused");
    } catch (BudgetExceededError refused) {
      return Failure.of(new EncoderException(refused));
    }
  }
}
