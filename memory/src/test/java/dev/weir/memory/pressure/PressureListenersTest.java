package dev.weir.memory.pressure;

import static dev.weir.memory.pressure.Pressure.CRITICAL;
import static dev.weir.memory.pressure.Pressure.HIGH;
import static dev.weir.memory.pressure.Pressure.NONE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.memory.AllocatorSupport;
import dev.weir.memory.Block;
import dev.weir.memory.Grant;
import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who listens hears how close a budget is to its limit. */
@Timeout(120)
class PressureListenersTest {
  private static final int BLOCK = 128 << 10;

  private final Pool pool =
      Pool.create(PoolOptions.withLimit(16 << 20).withDecay(Duration.ofDays(1)));
  private final Budget feature = pool.rootBudget().child("feature", 16 * BLOCK);
  private final List<Block> blocks = new ArrayList<>();
  private final Levels levels = new Levels();

  @AfterEach
  void allIsReleased() {
    release(blocks.size());
    pool.trim();
    pool.checkInvariants();
    pool.close();
  }

  private void allocate(int count) {
    for (int i = 0; i < count; i++) {
      blocks.add(pool.allocate(BLOCK, feature));
    }
  }

  private void release(int count) {
    for (int i = 0; i < count; i++) {
      blocks.removeLast().release();
    }
  }

  @Test
  void aBudgetRisesAndFallsWithHysteresis() {
    feature.addPressureListener(levels);
    allocate(11);
    assertThat(feature.pressure()).isEqualTo(NONE);
    allocate(1);
    levels.awaitLast(HIGH);
    allocate(3);
    levels.awaitLast(CRITICAL);
    release(1);
    assertThat(feature.pressure()).isEqualTo(CRITICAL);
    release(1);
    levels.awaitLast(HIGH);
    release(2);
    assertThat(feature.pressure()).isEqualTo(HIGH);
    release(1);
    levels.awaitLast(NONE);

    assertThat(levels.all()).containsExactly(HIGH, CRITICAL, HIGH, NONE);
  }

  @Test
  void limitsThatChangeChangeIt() {
    allocate(4);
    feature.addPressureListener(levels);
    assertThat(feature.softLimitBytes()).isEqualTo(12 * BLOCK);

    feature.setSoftLimitBytes(3 * BLOCK);
    levels.awaitLast(HIGH);
    feature.setLimitBytes(2 * BLOCK);
    levels.awaitLast(CRITICAL);
    feature.setLimitBytes(Budget.UNLIMITED);
    levels.awaitLast(HIGH);
    feature.setSoftLimitBytes(Budget.UNLIMITED);
    levels.awaitLast(NONE);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> feature.setSoftLimitBytes(-1))
        .withMessageMatching("soft limit of budget 'pool-\\d+/feature' is negative: -1");
  }

  @Test
  void whoComesLateIsToldOfWhatIs() {
    allocate(16);
    feature.addPressureListener(levels);
    levels.awaitLast(CRITICAL);
  }

  @Test
  void whoHasLeftIsNotCalled() {
    Registration registration = feature.addPressureListener(levels);
    Levels others = new Levels();
    feature.addPressureListener(others);
    registration.close();
    registration.close();

    allocate(16);
    others.awaitLast(CRITICAL);
    assertThat(levels.all()).isEmpty();
    assertThat(feature.pressure()).isEqualTo(CRITICAL);
  }

  @Test
  void theRootCountsLiveAndPromisedPages() {
    Budget root = pool.rootBudget();
    root.addPressureListener(levels);
    assertThat(root.softLimitBytes()).isEqualTo(12 << 20);
    Block block = pool.allocate(8 << 20);
    assertThat(root.pressure()).isEqualTo(NONE);

    Grant grant = pool.grant(4 << 20, Duration.ZERO).join();
    levels.awaitLast(HIGH);
    Block more = pool.allocate(7 << 19);
    levels.awaitLast(CRITICAL);
    grant.close();
    levels.awaitLast(HIGH);
    more.release();
    levels.awaitLast(NONE);
    assertThat(pool.dirtyBytes()).as("it need not be purged for that").isPositive();
    pool.setLimitBytes(9 << 20);
    levels.awaitLast(HIGH);
    block.release();
    levels.awaitLast(NONE);
  }

  /** Slots of a heap are live pages before anything tells the purger. */
  @Test
  void theRootCountsTheSlabsOfAHeap() {
    pool.rootBudget().addPressureListener(levels);
    OwnedHeap heap = AllocatorSupport.of(pool).ownedHeap(task -> {});
    List<Block> small = new ArrayList<>();
    while (pool.liveBytes() < 13 << 20) {
      small.add(AllocatorSupport.of(pool).allocateBlock(heap, 1_000, pool.rootBudget()));
    }
    levels.awaitLast(HIGH);
    small.forEach(Block::release);
    heap.close();
    pool.trim();
    levels.awaitLast(NONE);
  }

  /** An event loop's credit is no use of the budget, and its charges need no tree. */
  @Test
  void whatAHeapChargesByCreditIsSeenBeforeLong() {
    Budget small = pool.rootBudget().child("small", 8 << 20);
    small.setSoftLimitBytes(20_000);
    small.addPressureListener(levels);
    OwnedHeap heap = AllocatorSupport.of(pool).ownedHeap(task -> {});
    List<Block> held = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      held.add(AllocatorSupport.of(pool).allocateBlock(heap, 512, small));
    }
    assertThat(small.pressure()).as("10 KiB, whatever credit is out").isEqualTo(NONE);
    for (int i = 0; i < 20; i++) {
      held.add(AllocatorSupport.of(pool).allocateBlock(heap, 512, small));
    }
    levels.awaitLast(HIGH);
    held.forEach(Block::release);
    levels.awaitLast(NONE);
    heap.close();
  }

  @Test
  void aBudgetThatIsClosedWhileChargedFallsAsItIsReleased() {
    feature.addPressureListener(levels);
    allocate(16);
    levels.awaitLast(CRITICAL);

    feature.close();

    assertThat(feature.pressure()).isEqualTo(CRITICAL);
    release(16);
    levels.awaitLast(NONE);
    Await.until(() -> !pool.rootBudget().hasPressureListeners(), () -> "it is still watched");
  }

  @Test
  void manyBudgetsAreWatchedAtOnce() {
    List<Budget> channels = new ArrayList<>();
    List<Levels> each = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      Budget channel = pool.rootBudget().child("channel", 1_200);
      channels.add(channel);
      each.add(new Levels());
      channel.addPressureListener(each.getLast());
    }
    for (Budget channel : channels) {
      blocks.add(pool.allocate(900, channel));
    }
    each.forEach(level -> level.awaitLast(HIGH));
    release(200);
    each.forEach(level -> level.awaitLast(NONE));
  }
}
