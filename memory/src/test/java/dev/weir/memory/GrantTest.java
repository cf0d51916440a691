package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.memory.budget.BudgetExceededError;
import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.os.NativeMemory;
import dev.weir.memory.os.NativeMemoryException;
import dev.weir.memory.testing.Await;
import dev.weir.memory.testing.DelegatingNativeMemory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One grant, from the promise to its end. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class GrantTest {
  private static final long LIMIT_BYTES = 8 << 20;

  private final FakeNativeMemory os = new FakeNativeMemory();

  private Pool pool(NativeMemory memory) {
    return Pool.create(
        PoolOptions.withLimit(LIMIT_BYTES).withDecay(Duration.ofDays(1)).withNativeMemory(memory));
  }

  private void end(Pool pool) {
    Await.until(() -> pool.liveBlockBytes() == 0, () -> pool.snapshot().toString());
    assertThat(pool.snapshot().promisedBytes()).isZero();
    pool.trim();
    assertThat(pool.residentBytes()).isZero();
    Await.untilPasses(pool::checkInvariants);
    pool.close();
    Await.until(() -> os.reservations() == 0, () -> pool.snapshot().toString());
  }

  @Test
  void aPromiseIsSpentByAllocationsAndTheRestGivenBack() {
    Pool pool = pool(os);
    Grant grant = pool.grant(1_000_000, Duration.ZERO).join();
    assertThat(grant.bytes()).isEqualTo(1_003_520);
    assertThat(grant.remainingBytes()).isEqualTo(1_003_520);
    assertThat(pool.snapshot().promisedBytes()).isEqualTo(1_003_520);
    assertThat(pool.residentBytes()).isZero();

    Block block = grant.allocate(10);
    assertThat(block.size()).as("a run of whole pages").isEqualTo(4_096);
    assertThat(block.budget()).isSameAs(pool.rootBudget());
    assertThat(grant.remainingBytes()).isEqualTo(999_424);
    assertThat(pool.snapshot().promisedBytes()).isEqualTo(999_424);

    grant.close();
    grant.close();
    assertThat(grant.remainingBytes()).isZero();
    assertThat(pool.snapshot().promisedBytes()).isZero();
    assertThatIllegalStateException().isThrownBy(() -> grant.allocate(1));
    block.release();
    end(pool);
  }

  @Test
  void moreThanWasPromisedIsRefused() {
    Pool pool = pool(os);
    try (Grant grant = pool.grant(100_000, Duration.ZERO).join()) {
      assertThatIllegalStateException()
          .isThrownBy(() -> grant.allocate(grant.bytes() + 1))
          .withMessageContaining("left");
      for (long size : new long[] {Long.MAX_VALUE / 2, Long.MAX_VALUE - 4_095, Long.MAX_VALUE}) {
        assertThatIllegalStateException().isThrownBy(() -> grant.allocate(size));
        assertThatIllegalStateException().isThrownBy(() -> grant.allocateGrowing(size));
      }
      assertThatIllegalArgumentException().isThrownBy(() -> grant.allocate(0));
      assertThat(grant.remainingBytes()).isEqualTo(grant.bytes());
    }
    end(pool);
  }

  @Test
  void aHolderIsServedWhenThePoolIsFullOfOthers() {
    Pool pool = pool(os);
    Grant grant = pool.grant(2 << 20, Duration.ZERO).join();
    List<Block> live = new ArrayList<>();
    for (int bytes : new int[] {300_000, 65_536, 8_192, 4_096, 16}) {
      for (Block block = pool.tryAllocate(bytes); block != null; ) {
        live.add(block);
        block = pool.tryAllocate(bytes);
      }
    }
    assertThat(pool.residentBytes() + grant.remainingBytes()).isLessThanOrEqualTo(LIMIT_BYTES);

    while (grant.remainingBytes() > 0) {
      live.add(grant.allocate(Math.min(grant.remainingBytes(), 100_000)));
    }

    assertThat(pool.residentBytes()).isLessThanOrEqualTo(LIMIT_BYTES);
    grant.close();
    live.forEach(Block::release);
    end(pool);
  }

  @Test
  void whatOthersLeftDirtyIsPurgedForAHolder() {
    Pool pool = pool(os);
    Grant grant = pool.grant(2 << 20, Duration.ZERO).join();
    List<Block> others = new ArrayList<>();
    for (Block block = pool.tryAllocate(70_000); block != null; ) {
      others.add(block);
      block = pool.tryAllocate(70_000);
    }
    others.forEach(Block::release);

    Block block = grant.allocate(2 << 20);

    assertThat(pool.residentBytes()).isLessThanOrEqualTo(LIMIT_BYTES);
    block.release();
    grant.close();
    end(pool);
  }

  @Test
  void largeAndOddDeadlinesAreTaken() {
    Pool pool = pool(os);
    for (Duration deadline :
        List.of(Duration.ofSeconds(Long.MAX_VALUE), Duration.ofSeconds(-5), Duration.ZERO)) {
      pool.grant(1, deadline).join().close();
    }
    end(pool);
  }

  @Test
  void aGrantAboveTheLimitFailsAtOnce() {
    Pool pool = pool(os);
    for (long bytes : new long[] {LIMIT_BYTES, Long.MAX_VALUE}) {
      assertThat(pool.grant(bytes, Duration.ofHours(1))).isCompletedExceptionally();
      assertThatThrownBy(pool.grant(bytes, Duration.ofHours(1))::join)
          .hasCauseInstanceOf(BudgetExceededError.class);
    }
    end(pool);
  }

  /** The system call of an allocation fails after the grant has been closed by another thread. */
  @Test
  void aPromiseIsNotLostWhenAnAllocationFailsDuringClose() {
    DuringPurge memory = new DuringPurge(os);
    Pool pool = pool(memory);
    Grant grant = pool.grant(2 << 20, Duration.ZERO).join();
    List<Block> others = new ArrayList<>();
    for (Block block = pool.tryAllocate(70_000); block != null; ) {
      others.add(block);
      block = pool.tryAllocate(70_000);
    }
    for (int i = 0; i < 4; i++) {
      others.remove(i).release();
    }
    others.add(pool.allocate(290_000));
    memory.action =
        address -> {
          grant.close();
          throw new NativeMemoryException("0x%x cannot be purged".formatted(address));
        };

    assertThatThrownBy(() -> grant.allocate(2 << 20)).isInstanceOf(NativeMemoryException.class);

    memory.action = address -> {};
    assertThat(grant.remainingBytes()).isZero();
    assertThat(pool.snapshot().promisedBytes()).isZero();
    others.forEach(Block::release);
    end(pool);
  }

  private static final class DuringPurge extends DelegatingNativeMemory {
    private volatile Consumer<Long> action = address -> {};

    DuringPurge(NativeMemory os) {
      super(os);
    }

    @Override
    public void purge(long address, long bytes) {
      action.accept(address);
      super.purge(address, bytes);
    }
  }
}
