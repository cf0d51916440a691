package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an event loop that allocates nothing more gives back: its owner here runs nothing. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class IdleOwnerTest {
  private final FakeNativeMemory os = new FakeNativeMemory();
  private final Pool pool =
      Pool.create(
          PoolOptions.withLimit(16 << 20).withDecay(Duration.ofMillis(20)).withNativeMemory(os));
  private final OwnedHeap heap = pool.support().ownedHeap(task -> {});

  @AfterEach
  void everythingGoesBack() {
    heap.close();
    Await.until(() -> pool.residentBytes() == 0, () -> pool.snapshot().toString());
    assertThat(pool.liveBlockBytes()).isZero();
    pool.checkInvariants();
    pool.close();
    Await.until(() -> os.reservations() == 0, () -> pool.snapshot().toString());
  }

  private List<Block> allocate(int count, int bytes) {
    List<Block> blocks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      blocks.add(pool.support().allocateBlock(heap, bytes, pool.rootBudget()));
    }
    return blocks;
  }

  private static void releaseElsewhere(List<Block> blocks) throws InterruptedException {
    Thread other = Thread.ofPlatform().start(() -> blocks.forEach(Block::release));
    other.join();
  }

  private void awaitResident(long bytes) {
    Await.until(() -> pool.residentBytes() <= bytes, () -> pool.snapshot().toString());
  }

  @Test
  void fullSlabsThatOthersEmptied() throws InterruptedException {
    releaseElsewhere(allocate(200, 4096));

    awaitResident(0);
  }

  @Test
  void availableSlabsThatOthersEmptied() throws InterruptedException {
    List<Block> blocks = allocate(12 * 16, 4096);
    Block inTheCurrentSlab = allocate(1, 4096).getFirst();
    for (int i = blocks.size() - 1; i >= 0; i -= 5) {
      blocks.remove(i).release();
    }
    releaseElsewhere(blocks);

    awaitResident(8192);
    inTheCurrentSlab.release();
  }

  @Test
  void slabsThatWereEmptiedWhilePagesOfThemWerePurged() {
    List<Block> blocks = allocate(16 * 8, 65_536);
    Block inTheCurrentSlab = allocate(1, 65_536).getFirst();
    for (int i = blocks.size() - 1; i > 0; i--) {
      if (i % 8 != 0) {
        blocks.remove(i).release();
      }
    }
    heap.trim();
    blocks.forEach(Block::release);

    awaitResident(65_536);
    inTheCurrentSlab.release();
  }

  @Test
  void pagesInsideSlabsOnRequest() throws InterruptedException {
    List<Block> blocks = allocate(64, 65_536);
    for (int i = 63; i > 0; i--) {
      if (i % 8 != 0) {
        blocks.remove(i).release();
      }
    }
    Thread other = Thread.ofPlatform().start(pool::trim);
    other.join();
    assertThat(pool.residentBytes()).isEqualTo(pool.liveBlockBytes());
    assertThat(pool.liveBlockBytes()).isEqualTo(8 * 65_536);
    blocks.forEach(Block::release);
  }

  @Test
  void pagesInsideSlabsInUseWithTime() {
    keepOneIn(8, allocate(64, 65_536));
  }

  @Test
  void pagesInsideSlabsOfTheStripesWithTime() {
    List<Block> blocks = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      blocks.add(pool.allocate(65_536));
    }
    keepOneIn(8, blocks);
  }

  @Test
  void pagesUnderSmallSlotsWithTime() throws InterruptedException {
    List<Block> blocks = allocate(4_096, 256);
    List<Block> lost = new ArrayList<>(blocks.subList(64, 4_000));
    blocks.removeAll(lost);
    releaseElsewhere(lost);

    awaitResident((64 + 96) * 256 + 2 * 8192);
    blocks.forEach(Block::release);
  }

  private void keepOneIn(int n, List<Block> blocks) {
    for (int i = blocks.size() - 1; i >= 0; i--) {
      if (i % n != 0) {
        blocks.remove(i).release();
      }
    }
    awaitResident(pool.liveBlockBytes());
    assertThat(pool.liveBlockBytes()).isEqualTo(blocks.size() * 65_536L);
    blocks.forEach(Block::release);
  }
}
