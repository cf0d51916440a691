package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a pool says and does when it is closed before its blocks have been released. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class ClosedPoolTest {
  private static final int SLOTS_AT_HAND = 8;

  private final FakeNativeMemory os = new FakeNativeMemory();
  private final Pool pool =
      Pool.create(
          PoolOptions.withLimit(16 << 20)
              .withName("gateway")
              .withDecay(Duration.ofDays(1))
              .withNativeMemory(os));
  private final List<Block> live = new ArrayList<>();

  @AfterEach
  void theLastReleaseGivesTheAddressesBack() {
    assertThat(os.reservations()).isEqualTo(1);
    live.forEach(Block::release);
    Await.until(() -> os.reservations() == 0, () -> pool.snapshot().toString());
  }

  /** What is logged for pools while the work is done. */
  private static List<String> logged(Runnable work) {
    List<String> messages = new CopyOnWriteArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord logRecord) {
            messages.add(logRecord.getLevel() + ": " + logRecord.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger logger = Logger.getLogger(Pool.class.getName());
    logger.addHandler(handler);
    logger.setUseParentHandlers(false);
    try {
      work.run();
    } finally {
      logger.removeHandler(handler);
      logger.setUseParentHandlers(true);
    }
    return messages;
  }

  @Test
  void closingSaysHowManyBlocksAreLiveAndWhose() {
    Budget uploads = pool.rootBudget().child("uploads", Budget.UNLIMITED);
    Budget images = uploads.child("images", Budget.UNLIMITED);
    live.add(pool.allocate(100));
    live.add(pool.allocate(100_000, uploads));
    live.add(pool.allocate(4_096, images));
    live.add(pool.allocate(4_096, images));

    assertThat(logged(pool::close))
        .singleElement()
        .asString()
        .startsWith("WARNING: pool 'gateway' is closed with 4 live blocks of 110,704 bytes")
        .contains("'gateway/uploads' 102,400, 'gateway/uploads/images' 8,192, 'gateway' 112.");
    assertThat(logged(pool::close)).as("once is enough").isEmpty();
  }

  @Test
  void closingNamesTheLargestHoldersOnly() {
    for (int i = 1; i <= 7; i++) {
      live.add(pool.allocate(i * 16, pool.rootBudget().child("feature-" + i, Budget.UNLIMITED)));
    }

    assertThat(logged(pool::close))
        .singleElement()
        .asString()
        .contains("with 7 live blocks")
        .contains("feature-7' 112, ")
        .contains("feature-3' 48 and 2 more.")
        .doesNotContain("feature-2");
  }

  @Test
  void closingSaysNothingWhereNothingIsLeft() {
    pool.allocate(100).release();
    Pool unused = Pool.create(PoolOptions.withLimit(1 << 20));
    Pool drained = Pool.create(PoolOptions.withLimit(1 << 20).withNativeMemory(os));
    drained.allocate(100).release();

    assertThat(
            logged(() -> {
              unused.close();
              drained.close();
            }))
        .isEmpty();

    live.add(pool.allocate(1));
    logged(pool::close);
  }

  @Test
  void theCallersOwnHeapRefusesAtOnce() {
    OwnedHeap heap = pool.support().ownedHeap(task -> {});
    live.add(pool.support().allocateBlock(heap, 65_536, pool.rootBudget()));
    logged(pool::close);

    assertThatIllegalStateException()
        .isThrownBy(() -> pool.support().allocateBlock(heap, 65_536, pool.rootBudget()))
        .withMessage("pool 'gateway' is closed");
    assertThatIllegalStateException()
        .isThrownBy(() -> pool.support().allocateBlock(heap, 100, pool.rootBudget()));
    assertThatIllegalStateException().isThrownBy(() -> pool.support().ownedHeap(task -> {}));
  }

  /** Another thread is not stopped, but what its heap had at hand has been taken back. */
  @Test
  void heapsOfOthersRefuseAsSoonAsTheyNeedMore() throws InterruptedException {
    refusesInAnotherThread(/* hearsOfIt= */ false);
  }

  @Test
  void heapsOfOthersRefuseWhenTheyHearOfIt() throws InterruptedException {
    refusesInAnotherThread(/* hearsOfIt= */ true);
  }

  private void refusesInAnotherThread(boolean hearsOfIt) throws InterruptedException {
    LinkedBlockingQueue<Runnable> posted = new LinkedBlockingQueue<>();
    CountDownLatch allocated = new CountDownLatch(1);
    CountDownLatch poolClosed = new CountDownLatch(1);
    List<Block> got = new ArrayList<>();
    List<Throwable> refusals = new ArrayList<>();
    Thread owner =
        Thread.ofPlatform()
            .start(() -> {
              OwnedHeap heap = pool.support().ownedHeap(hearsOfIt ? posted::add : task -> {});
              for (int i = 0; i < SLOTS_AT_HAND; i++) {
                got.add(pool.support().allocateBlock(heap, 65_536, pool.rootBudget()));
              }
              got.removeLast().release();
              got.removeLast().release();
              allocated.countDown();
              try {
                poolClosed.await();
                if (hearsOfIt) {
                  posted.take().run();
                }
                for (int i = 0; i < 100; i++) {
                  got.add(pool.support().allocateBlock(heap, 65_536, pool.rootBudget()));
                }
              } catch (IllegalStateException | InterruptedException e) {
                refusals.add(e);
              }
            });
    allocated.await();
    logged(pool::close);
    poolClosed.countDown();
    owner.join();
    live.addAll(got);

    assertThat(refusals).singleElement().asString().contains("pool 'gateway' is closed");
    assertThat(got).hasSize(SLOTS_AT_HAND - 2);
  }

  @Test
  void whoeverHoldsAGrantMayComplete() {
    live.add(pool.allocate(1));
    Grant grant = pool.grant(1 << 20, Duration.ZERO).join();
    logged(pool::close);

    live.add(grant.allocate(100_000));
    live.add(grant.allocate(1 << 19));
    grant.close();
  }

  @Test
  void blocksDoNotGrowAnyMore() {
    Block block = pool.allocate(100_000);
    live.add(block);
    logged(pool::close);

    assertThat(block.tryGrow(1 << 20)).isFalse();
    assertThat(block.size()).isEqualTo(102_400);
  }
}
