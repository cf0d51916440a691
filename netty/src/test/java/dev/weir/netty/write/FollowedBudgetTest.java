package dev.weir.netty.write;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Block;
import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.pressure.Pressure;
import dev.weir.memory.pressure.Registration;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class FollowedBudgetTest {
  private final Pool pool = Pool.create(PoolOptions.withLimit(16L << 20));
  private final WriteGate gate =
      new WriteGate(new WriteGateOptions(1 << 10, 1 << 20, 1 << 10, Duration.ofMinutes(1)));

  @AfterEach
  void closePool() {
    assertThat(gate.isClosed()).isFalse();
    pool.close();
  }

  @Test
  void whatIsToldAfterTheEndChangesNothing() {
    FollowedBudget followed = new FollowedBudget(gate);
    followed.pressureChanged(Pressure.CRITICAL);
    assertThat(gate.isClosed()).isTrue();
    followed.close();
    assertThat(gate.isClosed()).isFalse();
    followed.pressureChanged(Pressure.CRITICAL);
    assertThat(gate.isClosed()).isFalse();
    followed.pressureChanged(Pressure.NONE);
    followed.close();
    assertThat(gate.isClosed()).isFalse();
  }

  @Test
  void theGateIsClosedWhileAnyOfThemIsCritical() {
    FollowedBudget first = new FollowedBudget(gate);
    FollowedBudget second = new FollowedBudget(gate);
    first.pressureChanged(Pressure.CRITICAL);
    second.pressureChanged(Pressure.HIGH);
    assertThat(gate.isClosed()).isTrue();
    second.pressureChanged(Pressure.CRITICAL);
    first.pressureChanged(Pressure.HIGH);
    assertThat(gate.isClosed()).isTrue();
    second.pressureChanged(Pressure.NONE);
    assertThat(gate.isClosed()).isFalse();
    first.close();
    second.close();
  }

  @Test
  void theEndOfOneDoesNotOpenTheGateForAnother() {
    Budget full = pool.rootBudget().child("full", 1 << 20);
    Budget empty = pool.rootBudget().child("empty", 1 << 20);
    Registration followingFull = gate.follow(full);
    Registration followingEmpty = gate.follow(empty);
    try (Block all = pool.allocate(1 << 20, full)) {
      assertThat(all.size()).isEqualTo(1 << 20);
      while (!gate.isClosed() && !Thread.currentThread().isInterrupted()) {
        Thread.onSpinWait();
      }
      followingEmpty.close();
      assertThat(gate.isClosed()).isTrue();
      followingFull.close();
      assertThat(gate.isClosed()).isFalse();
    }
    full.close();
    empty.close();
  }
}
