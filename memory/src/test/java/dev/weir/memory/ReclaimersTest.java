package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.BudgetExceededError;
import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.pressure.Reclaimer;
import dev.weir.memory.pressure.Registration;
import dev.weir.memory.testing.Await;
import dev.weir.memory.testing.Workers;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Before anything is refused, those who hold what they can do without are asked for it. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class ReclaimersTest {
  private static final Duration LONG = Duration.ofHours(1);
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final int MIB = 1 << 20;

  private final Pool pool =
      Pool.create(PoolOptions.withLimit(16 * MIB).withName("p").withDecay(Duration.ofDays(1)));
  private final Budget caches = pool.rootBudget().child("caches", Budget.UNLIMITED);
  private final List<Cache> open = new ArrayList<>();

  /** Blocks that it can do without. */
  private final class Cache implements Reclaimer {
    private final Budget budget;
    private final Queue<Block> blocks = new ConcurrentLinkedQueue<>();
    private final List<Long> asked = new ArrayList<>();

    Cache(String name) {
      this.budget = caches.child(name, Budget.UNLIMITED);
      open.add(this);
    }

    Cache fill(int blockBytes, long bytes) {
      for (long held = 0; held < bytes; held += blockBytes) {
        blocks.add(pool.allocate(blockBytes, budget));
      }
      return this;
    }

    Registration register(int priority) {
      return pool.addReclaimer(budget, priority, this);
    }

    @Override
    public long reclaim(long bytes) {
      asked.add(bytes);
      long released = 0;
      for (Block block = blocks.poll(); block != null; block = blocks.poll()) {
        released += block.size();
        block.release();
        if (released >= bytes) {
          break;
        }
      }
      return released;
    }
  }

  @AfterEach
  void everythingGoesBack() {
    open.forEach(cache -> cache.reclaim(Long.MAX_VALUE));
    // A thread that was asked may still be at the release for which a grant has been served.
    Await.until(
        () -> {
          pool.trim();
          return pool.residentBytes() == 0;
        },
        () -> pool.snapshot().toString());
    assertThat(caches.chargedBytes()).isZero();
    pool.checkInvariants();
    pool.close();
  }

  @Test
  void nobodyIsAskedWhilePurgingHelps() {
    Cache cache = new Cache("cache").fill(100_000, 8 * MIB);
    cache.register(0);
    pool.allocate(7 * MIB).release();
    assertThat(pool.dirtyBytes()).isPositive();

    pool.allocate(6 * MIB).release();
    List<Block> slots = new ArrayList<>();
    for (int i = 0; i < 6 * MIB / 4_096; i++) {
      slots.add(pool.allocate(4_096));
    }
    slots.forEach(Block::release);
    pool.allocate(7 * MIB).release();

    assertThat(cache.asked).isEmpty();
  }

  @Test
  void reclaimersAreAskedByPriorityUntilThereIsRoom() {
    Cache dear = new Cache("dear").fill(MIB, 4 * MIB);
    Cache cheap = new Cache("cheap").fill(MIB, 4 * MIB);
    Cache middling = new Cache("middling").fill(MIB, 4 * MIB);
    dear.register(3);
    middling.register(2);
    cheap.register(1);
    Block block = pool.allocate(3 * MIB);
    Block more = pool.allocate(4 * MIB);

    assertThat(cheap.blocks).isEmpty();
    assertThat(middling.blocks).isNotEmpty();
    assertThat(dear.asked).isEmpty();
    block.release();
    more.release();
  }

  /** Of each page it holds one slot: what it releases must make whole pages. */
  @Test
  void oneIsAskedForMoreWhereWhatItReleasesMakesNoRoom() {
    Cache cache = new Cache("cache").fill(512, 15 * MIB);
    cache.register(0);

    Block block = pool.allocate(2 * MIB);

    assertThat(cache.asked).hasSizeBetween(1, Reclaimers.MAX_ASKS);
    assertThat(cache.asked.getFirst()).isEqualTo(2 * MIB);
    block.release();
  }

  @Test
  void everyWayToAllocateAsks() {
    Block growing = pool.allocateGrowing(100_000, pool.rootBudget());
    Cache cache = new Cache("cache").fill(100_000, 14 * MIB);
    cache.register(0);
    OwnedHeap heap = pool.support().ownedHeap(task -> {});
    List<Block> blocks = new ArrayList<>();
    blocks.add(pool.allocate(1 * MIB));
    blocks.add(pool.allocate(60_000));
    for (int i = 0; i < 40; i++) {
      blocks.add(pool.support().allocateBlock(heap, 60_000, pool.rootBudget()));
    }
    for (int bytes = MIB; bytes <= 8 * MIB; bytes += MIB) {
      assertThat(growing.tryGrow(bytes)).isTrue();
    }
    growing.release();

    assertThat(cache.blocks).isNotEmpty();
    blocks.forEach(Block::release);
    heap.close();
  }

  @Test
  void aBlockThatGrowsAsks() {
    Cache cache = new Cache("cache").fill(MIB, 14 * MIB);
    cache.register(0);
    Block block = pool.allocateGrowing(100_000, pool.rootBudget());
    for (int bytes = MIB; bytes <= 8 * MIB; bytes += MIB) {
      assertThat(block.tryGrow(bytes)).isTrue();
    }
    assertThat(cache.blocks).isNotEmpty();
    block.release();
  }

  @Test
  void aBlockThatGrowsWithinItsBudgetAsksOnlyThoseBelowIt() {
    Budget object = pool.rootBudget().child("object", 4 * MIB);
    Cache other = new Cache("other").fill(MIB, 4 * MIB);
    other.register(0);
    List<Block> mine = new ArrayList<>();
    mine.add(pool.allocate(3 * MIB, object));
    pool.addReclaimer(
        object,
        0,
        bytes -> {
          long held = mine.stream().mapToLong(Block::size).sum();
          mine.forEach(Block::release);
          mine.clear();
          return held;
        });
    Block block = pool.allocateGrowing(100_000, object);

    assertThat(block.tryGrow(2 * MIB)).isTrue();
    assertThat(other.asked).isEmpty();
    assertThat(block.tryGrow(5 * MIB)).as("more than its budget").isFalse();
    assertThat(block.size()).isEqualTo(2 * MIB);
    assertThat(other.asked).isEmpty();
    block.release();
  }

  /** What could be had without asking is another kind of block. */
  @Test
  void aBlockThatIsToGrowCanDoSoWhereRoomWasMadeForIt() {
    Cache cache = new Cache("cache").fill(MIB, 15 * MIB);
    cache.register(0);

    Block block = pool.allocateGrowing(2 * MIB, pool.rootBudget());

    assertThat(cache.asked).containsExactly(2L * MIB);
    assertThat(block.tryGrow(4 * MIB)).isTrue();
    block.release();
    assertThatThrownBy(() -> pool.allocateGrowing(15 * MIB, caches.child("small", MIB)))
        .isInstanceOf(BudgetExceededError.class)
        .hasMessageStartingWith("budget 'p/caches/small' has no room");
  }

  @Test
  void waitingGrantsAskToo() {
    Cache cache = new Cache("cache").fill(60_000, 13 * MIB);
    cache.register(0);

    CompletableFuture<Grant> grant = pool.grant(6 * MIB, LONG);

    assertThat(grant).succeedsWithin(SOON);
    assertThat(cache.blocks).isNotEmpty();
    grant.join().close();
  }

  @Test
  void grantsThatWaitForABudgetAskThoseWhoHoldSomethingOfIt() {
    Budget object = pool.rootBudget().child("object", 4 * MIB);
    Cache other = new Cache("other").fill(MIB, 4 * MIB);
    other.register(0);
    Queue<Block> mine = new ConcurrentLinkedQueue<>();
    for (int i = 0; i < 4; i++) {
      mine.add(pool.allocate(MIB, object));
    }
    pool.addReclaimer(
        object,
        1,
        bytes -> {
          Block block = mine.poll();
          if (block == null) {
            return 0;
          }
          block.release();
          return MIB;
        });

    CompletableFuture<Grant> grant = pool.grant(3 * MIB, LONG, object);

    assertThat(grant).succeedsWithin(SOON);
    assertThat(other.asked).isEmpty();
    grant.join().close();
    mine.forEach(Block::release);
  }

  @Test
  void aBudgetThatIsFullAsksOnlyThoseBelowIt() {
    Budget object = pool.rootBudget().child("object", 2 * MIB);
    Cache other = new Cache("other").fill(MIB, 4 * MIB);
    other.register(0);
    AtomicInteger asked = new AtomicInteger();
    Block held = pool.allocate(2 * MIB, object.child("cache", Budget.UNLIMITED));
    pool.addReclaimer(
        object,
        1,
        bytes -> {
          if (asked.getAndIncrement() > 0) {
            return 0;
          }
          held.release();
          return 2 * MIB;
        });

    Block block = pool.allocate(65_536, object);

    assertThat(other.asked).isEmpty();
    assertThat(asked).hasValue(1);
    block.release();
    assertThat(pool.tryAllocate(3 * MIB, object)).as("more than its limit").isNull();
    assertThat(asked).hasValue(1);
    assertThat(other.asked).isEmpty();
  }

  @Test
  void nobodyIsAskedForWhatNoReleaseCouldServe() {
    Budget object = pool.rootBudget().child("object", 2 * MIB);
    Cache cache = new Cache("cache").fill(MIB, 4 * MIB);
    cache.register(0);
    AtomicInteger asked = new AtomicInteger();
    pool.addReclaimer(
        object,
        1,
        bytes -> {
          asked.incrementAndGet();
          return 1;
        });
    Block growing = pool.allocateGrowing(MIB, object);

    assertThat(growing.tryGrow(3 * MIB)).as("above the budget's limit").isFalse();
    assertThat(pool.tryAllocate(16 * MIB)).as("what is kept for small blocks").isNull();
    growing.release();
    object.close();
    assertThat(pool.tryAllocate(MIB, object)).as("closed").isNull();

    assertThat(asked).hasValue(0);
    assertThat(cache.asked).isEmpty();
  }

  @Test
  void whoHasNothingIsAskedOnceAndTheRefusalSaysWhoHolds() {
    Cache empty = new Cache("empty");
    empty.register(0);
    Budget holder = pool.rootBudget().child("holder", Budget.UNLIMITED);
    Block all = pool.allocate(15 * MIB, holder);

    assertThatThrownBy(() -> pool.allocate(MIB))
        .isInstanceOf(BudgetExceededError.class)
        .hasMessageStartingWith(
            "budget 'p' has no room for 1,048,576 bytes of direct memory: limit 16,777,216, live")
        .hasMessageContaining("largest children: holder 15,728,640, caches 0");
    assertThat(empty.asked).containsExactly((long) MIB);
    assertThat(pool.tryAllocate(1L << 40)).as("above the limit").isNull();
    assertThat(empty.asked).hasSize(1);
    all.release();
  }

  @Test
  void whoHasLeftIsNotAsked() {
    Cache cache = new Cache("cache").fill(MIB, 15 * MIB);
    Registration registration = cache.register(0);
    registration.close();
    registration.close();

    assertThat(pool.tryAllocate(4 * MIB)).isNull();
    assertThat(cache.asked).isEmpty();
  }

  @Test
  void aHolderOfAnotherPoolIsRefused() {
    try (Pool other = Pool.create(PoolOptions.withLimit(MIB))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> pool.addReclaimer(other.rootBudget(), 0, bytes -> 0));
    }
  }

  /** Threads that allocate more than there is beside the cache are never refused. */
  @Test
  void manyThreadsAtTheLimitAreServed() throws InterruptedException {
    Cache cache = new Cache("cache").fill(32 << 10, 12 * MIB);
    cache.register(0);
    Workers workers = new Workers();
    for (int i = 0; i < 4; i++) {
      workers.platform(() -> {
        ArrayDeque<Block> held = new ArrayDeque<>();
        for (int n = 0; n < 400; n++) {
          held.add(pool.allocate(100_000));
          if (held.size() > 20) {
            held.remove().release();
          }
          Block cached = pool.tryAllocate(20_000, cache.budget);
          if (cached != null) {
            cache.blocks.add(cached);
          }
        }
        held.forEach(Block::release);
      });
    }
    workers.join();
  }
}
