package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.testing.Workers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What an event loop keeps free refuses nobody, whatever the loop is at: it runs no task here, and
 * comes to no slab.
 */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class BlockedOwnerTest {
  private static final int MIB = 1 << 20;
  private static final long LIMIT_BYTES = 16 * MIB;

  private final FakeNativeMemory os = new FakeNativeMemory();
  private final Pool pool =
      Pool.create(
          PoolOptions.withLimit(LIMIT_BYTES).withDecay(Duration.ofDays(1)).withNativeMemory(os));
  private final OwnedHeap heap = pool.support().ownedHeap(task -> {});

  @AfterEach
  void everythingGoesBack() {
    heap.close();
    BoundSession.end(pool, os);
  }

  private List<Block> allocate(long bytes, int size) {
    List<Block> blocks = new ArrayList<>();
    for (int i = 0; i < bytes / size; i++) {
      blocks.add(pool.support().allocateBlock(heap, size, pool.rootBudget()));
    }
    return blocks;
  }

  private static void inAnotherThread(Workers.Work task) throws InterruptedException {
    Workers other = new Workers();
    other.platform(task);
    other.join();
  }

  /** Nothing of it is kept: what is live and the reserve leave room for exactly that. */
  @ParameterizedTest
  @ValueSource(ints = {256, 4096, 65_536})
  void whatItHasReleasedIsServedToOthers(int size) throws InterruptedException {
    List<Block> blocks = allocate(14L * MIB, size);
    List<Block> kept = new ArrayList<>();
    // Whole pages come free, and slots that lie on pages with live ones.
    int run = Math.max(1, 8192 / size);
    for (int i = 0; i < blocks.size(); i++) {
      if (i / run % 8 == 0) {
        kept.add(blocks.get(i));
      } else {
        blocks.get(i).release();
      }
    }
    long roomBytes = LIMIT_BYTES - pool.slackBytes() - pool.liveBlockBytes();

    inAnotherThread(() -> {
      for (int round = 0; round < 100; round++) {
        Block block = pool.tryAllocate(roomBytes / 4096 * 4096 - 8192);
        assertThat(block).as("round %d: %s", round, pool.snapshot()).isNotNull();
        block.release();
      }
    });

    kept.forEach(Block::release);
  }

  /** The slots that nobody could take pages from are the owner's again, and each of them once. */
  @ParameterizedTest
  @ValueSource(ints = {64, 256, 1024, 4096, 16_384, 65_536})
  void theOwnerGoesOnWithWhatIsLeft(int size) throws InterruptedException {
    List<Block> blocks = allocate(8L * MIB, size);
    for (int round = 0; round < 3; round++) {
      for (int i = blocks.size() - 1; i >= 0; i--) {
        if (i % 3 != round) {
          blocks.remove(i).release();
        }
      }
      inAnotherThread(pool::trim);
      blocks.addAll(allocate(8L * MIB - pool.liveBlockBytes(), size));
      assertThat(blocks.stream().mapToLong(Block::address).distinct().count())
          .isEqualTo(blocks.size());
      assertThat(pool.liveBlockBytes()).isEqualTo((long) blocks.size() * size);
    }
    blocks.forEach(Block::release);
  }

  /**
   * The owner takes and releases while others trim its heap: no slot is lost, none is given out
   * twice. Each block carries its owner's mark as long as it lives.
   */
  @ParameterizedTest
  @ValueSource(ints = {64, 1024, 65_536})
  void othersTrimWhileTheOwnerIsAtWork(int size) throws InterruptedException {
    AtomicBoolean done = new AtomicBoolean();
    AtomicLong trims = new AtomicLong();
    Workers others = new Workers();
    CountDownLatch begun = new CountDownLatch(1);
    others.platform(() -> {
      while (!done.get()) {
        heap.trim();
        heap.retireIdle();
        trims.incrementAndGet();
        begun.countDown();
      }
    });
    begun.await();
    int live = (int) Math.min(1_000, 4L * MIB / size);
    @Nullable Block[] blocks = new Block[live];
    Set<Long> addresses = new HashSet<>();
    Random random = new Random(size);
    long begunTrims = trims.get();
    for (int i = 0; i < 200_000 || trims.get() - begunTrims < 200; i++) {
      int place = random.nextInt(live);
      Block old = blocks[place];
      if (old != null) {
        assertThat(addresses.remove(old.address())).isTrue();
        old.release();
        blocks[place] = null;
      } else {
        Block block = pool.support().allocateBlock(heap, size, pool.rootBudget());
        blocks[place] = block;
        assertThat(addresses.add(block.address())).as("given out twice").isTrue();
      }
    }
    done.set(true);
    others.join();
    assertThat(pool.liveBlockBytes()).isEqualTo((long) addresses.size() * size);
    for (Block block : blocks) {
      if (block != null) {
        block.release();
      }
    }
  }

  /** Another thread releases meanwhile, so that all three ways of a slot meet. */
  @Test
  void othersTrimWhileOthersRelease() throws InterruptedException {
    AtomicBoolean done = new AtomicBoolean();
    BlockingQueue<Block> handed = new ArrayBlockingQueue<>(64);
    Workers others = new Workers();
    others.platform(() -> {
      while (!done.get()) {
        heap.trim();
      }
    });
    others.platform(() -> {
      while (!done.get() || !handed.isEmpty()) {
        Block block = handed.poll(10, TimeUnit.MILLISECONDS);
        if (block != null) {
          block.release();
        }
      }
    });
    for (int i = 0; i < 100_000; i++) {
      Block block = pool.support().allocateBlock(heap, 1 + i % 5_000, pool.rootBudget());
      if (i % 2 == 0) {
        block.release();
      } else {
        handed.put(block);
      }
    }
    done.set(true);
    others.join();
  }
}
