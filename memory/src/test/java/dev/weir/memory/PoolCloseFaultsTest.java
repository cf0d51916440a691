package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.os.NativeMemoryException;
import dev.weir.memory.os.ReservationFailedError;
import dev.weir.memory.purge.PurgePolicy;
import dev.weir.memory.testing.Await;
import dev.weir.memory.testing.Workers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Faults at the ends of a pool's life, and while others wait for it. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class PoolCloseFaultsTest {
  private final FakeNativeMemory os = new FakeNativeMemory();

  private Pool pool(Duration decay) {
    return Pool.create(PoolOptions.withLimit(4 << 20).withDecay(decay).withNativeMemory(os));
  }

  @Test
  void aPoolTriesAgainToReserveAfterARefusal() {
    Pool pool = pool(Duration.ofDays(1));
    os.limitReservations(0);

    assertThatThrownBy(() -> pool.allocate(100)).isInstanceOf(ReservationFailedError.class);

    assertThat(pool.reservationBytes()).isZero();
    os.limitReservations(Long.MAX_VALUE);
    pool.allocate(100).release();
    pool.close();
    assertThat(os.reservations()).isZero();
  }

  @Test
  void whatCouldNotBePurgedAtCloseIsPurgedLater() {
    Pool pool = pool(Duration.ofMillis(20));
    pool.allocate(1 << 20).release();
    os.failFrom(1);

    assertThatThrownBy(pool::close).isInstanceOf(NativeMemoryException.class);

    assertThat(pool.isClosed()).isTrue();
    assertThat(os.reservations()).isEqualTo(1);
    os.heal();
    Await.until(() -> os.reservations() == 0, () -> pool.snapshot().toString());
  }

  @Test
  void aRequestThatWaitsIsToldOfTheClosing() {
    Pool pool = pool(Duration.ofDays(1));
    Block most = pool.allocate(3 << 20);
    CompletableFuture<Grant> waiting = pool.grant(2 << 20, Duration.ofHours(1));
    assertThat(waiting).isNotDone();

    pool.close();

    assertThat(waiting)
        .failsWithin(Duration.ofSeconds(60))
        .withThrowableThat()
        .withRootCauseInstanceOf(IllegalStateException.class);
    most.release();
    Await.until(() -> os.reservations() == 0, () -> pool.snapshot().toString());
  }

  @Test
  void aClosedPoolDrainsBehindAnOwnerThatTakesNoTasks() throws InterruptedException {
    Pool pool = pool(Duration.ofDays(1));
    OwnedHeap heap = pool.support().ownedHeap(task -> {});
    List<Block> blocks = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      blocks.add(pool.support().allocateBlock(heap, 60_000, pool.rootBudget()));
    }

    Workers workers = new Workers();
    workers.platform(() -> {
      pool.close();
      blocks.forEach(Block::release);
    });
    workers.join();

    Await.until(() -> os.reservations() == 0, () -> pool.snapshot().toString());
  }

  @Test
  void aPoolOfSlowDecayTriesAgainSoon() {
    Pool pool = pool(Duration.ofDays(1));
    pool.allocate(1 << 20).release();
    os.failFrom(1);

    assertThatThrownBy(pool::close).isInstanceOf(NativeMemoryException.class);

    os.heal();
    Await.until(() -> os.reservations() == 0, () -> pool.snapshot().toString());
  }

  /**
   * So much is dirty that whoever takes a run gives some of it back on the way, which fails: the
   * run is served, and comes back like any other.
   */
  @Test
  void aRunIsServedAlthoughOthersDirtyPagesCannotBePurged() {
    Pool pool =
        Pool.create(
            PoolOptions.withLimit(64 << 20)
                .withPurgePolicy(PurgePolicy.dense())
                .withDecay(Duration.ofDays(1))
                .withNativeMemory(os));
    List<Block> blocks = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      blocks.add(pool.allocate(1 << 20));
    }
    os.failFrom(1);
    blocks.forEach(Block::release);
    Await.until(() -> os.failures() > 0, () -> "no purge was tried");
    long failuresOfThePurger = os.failures();

    Block block = pool.allocate(1 << 20);

    assertThat(os.failures()).isGreaterThan(failuresOfThePurger);
    os.heal();
    block.release();
    pool.trim();
    assertThat(pool.residentBytes()).isZero();
    pool.checkInvariants();
    pool.close();
  }

  @Test
  void grantsAreServedWhilePurgingFails() {
    Pool pool = pool(Duration.ofMillis(20));
    Block block = pool.allocate(3 << 20);
    pool.allocate(300_000).release();
    os.failFrom(1);
    CompletableFuture<Grant> hopeless = pool.grant(3 << 20, Duration.ofMillis(50));
    CompletableFuture<Grant> patient = pool.grant(3 << 20, Duration.ofHours(1));
    Await.until(() -> os.failures() > 0, () -> "no purge was tried");

    assertThatThrownBy(() -> hopeless.get(30, TimeUnit.SECONDS))
        .hasCauseInstanceOf(TimeoutException.class);
    block.release();
    assertThat(patient).succeedsWithin(Duration.ofSeconds(30));

    os.heal();
    patient.join().close();
    pool.close();
    Await.until(() -> os.reservations() == 0, () -> pool.snapshot().toString());
  }

  @Test
  void aRangeThatCannotBeReleasedIsReportedOnce() {
    Pool pool = pool(Duration.ofDays(1));
    pool.allocate(100).release();
    pool.trim();
    os.failFrom(1);

    assertThatThrownBy(pool::close).isInstanceOf(NativeMemoryException.class);

    assertThat(os.releaseFailed()).isTrue();
    long calls = os.calls();
    pool.close();
    assertThat(os.calls()).isEqualTo(calls);
  }
}
