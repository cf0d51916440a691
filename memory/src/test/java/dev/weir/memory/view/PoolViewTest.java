package dev.weir.memory.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import dev.weir.memory.AllocatorSupport;
import dev.weir.memory.Block;
import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.testing.Await;
import dev.weir.memory.testing.SeededRuns;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class PoolViewTest {
  private static final MapWindow EVERYTHING = MapWindow.everything(MapWindow.MAX_CELLS);

  private static Pool pool(long limitBytes) {
    return Pool.create(
        PoolOptions.withLimit(limitBytes).withName("seen").withDecay(Duration.ofDays(1)));
  }

  @Test
  void aPoolWithoutMemoryCanBeLookedAt() {
    PoolView view = pool(8 << 20).view(EVERYTHING);

    assertThat(view.name()).isEqualTo("seen");
    assertThat(view.residentBytes()).isZero();
    assertThat(view.pages().regions()).isEmpty();
    assertThat(view.budgets().limitBytes()).isEqualTo(8 << 20);
  }

  @Test
  void classesHeapsAndWasteAreToldApart() {
    try (Pool pool = pool(8 << 20)) {
      OwnedHeap heap = AllocatorSupport.of(pool).ownedHeap(task -> {});
      List<Block> live = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        live.add(AllocatorSupport.of(pool).allocateBlock(heap, 1000, pool.rootBudget()));
      }
      live.add(pool.allocate(60));
      live.removeFirst().release();
      pool.allocate(300_000).release();

      PoolView view = pool.view(EVERYTHING);

      assertThat(view.classes())
          .extracting(ClassView::slotBytes, of -> of.slabs().blocks())
          .containsExactly(tuple(64, 1L), tuple(1024, 9L));
      assertThat(view.classes().get(1).roundingAtMostBytes()).isEqualTo(9 * (1024 - 961));
      assertThat(view.heaps())
          .extracting(HeapView::owner, of -> of.slabs().blockBytes())
          .containsExactlyInAnyOrder(
              tuple(Thread.currentThread().getName(), 9 * 1024L), tuple(HeapView.SHARED, 64L));
      assertThat(view.blocks()).isEqualTo(10);
      assertThat(view.blockBytes()).isEqualTo(9 * 1024 + 64).isEqualTo(pool.liveBlockBytes());
      assertThat(view.waste().freeSlotBytes()).isPositive();
      assertThat(view.waste().dirtyBytes()).isEqualTo(303_104);
      assertThat(view.peakResidentBytes()).isEqualTo(pool.peakResidentBytes());
      assertThat(view.budgets().chargedBytes()).isEqualTo(view.blockBytes());
      live.forEach(Block::release);
      heap.close();
    }
  }

  @Test
  void everyPageIsSomewhereOnTheMap() {
    SeededRuns.forSeeds(
        PoolViewTest.class,
        8,
        random -> {
          try (Pool pool = pool(64 << 20)) {
            List<Block> live = new ArrayList<>();
            OwnedHeap heap = AllocatorSupport.of(pool).ownedHeap(task -> {});
            Budget budget = pool.rootBudget();
            for (int step = 0; step < 1_500; step++) {
              churn(pool, heap, budget, live, random);
              if (step % 100 == 0) {
                checkAgainstTotals(pool, random);
              }
            }
            heap.close();
            checkAgainstTotals(pool, random);
            live.forEach(Block::release);
            pool.trim();
            PoolView empty = pool.view(EVERYTHING);
            assertThat(empty.residentBytes()).isZero();
            assertThat(sum(empty.pages(), PageMap.Region::liveBytes)).isZero();
            assertThat(sum(empty.pages(), PageMap.Region::dirtyBytes)).isZero();
            pool.checkInvariants();
          }
        });
  }

  private static void churn(
      Pool pool, OwnedHeap heap, Budget budget, List<Block> live, SplittableRandom random) {
    if (!live.isEmpty() && random.nextInt(100) < 48) {
      live.remove(random.nextInt(live.size())).release();
      return;
    }
    int bytes = 1 << random.nextInt(4, 20);
    int size = bytes + random.nextInt(bytes);
    switch (random.nextInt(3)) {
      case 0 -> add(live, pool.tryAllocate(size));
      case 1 -> add(live, AllocatorSupport.of(pool).tryAllocateBlock(heap, size, budget));
      default -> {
        if (pool.limitBytes() - pool.residentBytes() > 4L << 20) {
          live.add(pool.allocateGrowing(size, budget));
        }
      }
    }
  }

  private static void add(List<Block> live, Block block) {
    if (block != null) {
      live.add(block);
    }
  }

  /** What the purger has just taken looks live for a moment. */
  private static void checkAgainstTotals(Pool pool, SplittableRandom random) {
    for (int cells : new int[] {MapWindow.MAX_CELLS, 1 + random.nextInt(300), 1}) {
      Await.untilPasses(() -> checkSums(pool.view(MapWindow.everything(cells)), cells));
    }
  }

  private static void checkSums(PoolView view, int cells) {
    PageMap map = view.pages();
    assertThat(sum(map, PageMap.Region::liveBytes)).isEqualTo(view.liveBytes());
    assertThat(sum(map, PageMap.Region::dirtyBytes)).isEqualTo(view.dirtyBytes());
    // Slabs tell of the blocks in them as an average: each stretch of pages rounds to a byte.
    assertThat(sum(map, PageMap.Region::blockBytes)).isCloseTo(view.blockBytes(), within(10_000L));
    assertThat(view.blockBytes() + view.waste().freeSlotBytes() + view.waste().uncommittedBytes())
        .isEqualTo(view.liveBytes());
    assertThat(view.heaps().stream().mapToLong(heap -> heap.slabs().pageBytes()).sum())
        .isEqualTo(view.classes().stream().mapToLong(of -> of.slabs().pageBytes()).sum());
    assertThat(map.regions()).allSatisfy(region -> assertThat(region.cells()).isBetween(1, cells));
  }

  @FunctionalInterface
  private interface CellFigure {
    long of(PageMap.Region region, int cell);
  }

  private static long sum(PageMap map, CellFigure figure) {
    long bytes = 0;
    for (PageMap.Region region : map.regions()) {
      for (int cell = 0; cell < region.cells(); cell++) {
        bytes += figure.of(region, cell);
      }
    }
    return bytes;
  }

  @Test
  void aWindowShowsOneRegionFinely() {
    try (Pool pool = pool(64 << 20)) {
      Block first = pool.allocate(1 << 20);
      Block hole = pool.allocate(1 << 20);
      Block last = pool.allocate(1 << 20);
      hole.release();

      PageMap map = pool.view(new MapWindow("runs", 1 << 20, 3 << 20, 1024)).pages();

      assertThat(map.regions()).hasSize(1);
      PageMap.Region runs = map.regions().getFirst();
      assertThat(runs.name()).isEqualTo("runs");
      assertThat(runs.fromBytes()).isEqualTo(1 << 20);
      assertThat(runs.extentBytes()).isEqualTo(3 << 20);
      int pages = (1 << 20) / (int) runs.cellBytes();
      assertThat(runs.cells()).isEqualTo(2 * pages);
      for (int cell = 0; cell < pages; cell++) {
        assertThat(runs.dirtyBytes(cell)).isEqualTo(runs.cellBytes());
        assertThat(runs.liveBytes(cell)).isZero();
        assertThat(runs.liveBytes(pages + cell)).isEqualTo(runs.cellBytes());
      }
      assertThat(pool.view(new MapWindow("runs", 3 << 20, 4 << 20, 8)).pages().regions()).isEmpty();
      assertThat(pool.view(new MapWindow("cellar", 0, 4096, 8)).pages().regions()).isEmpty();
      first.release();
      last.release();
    }
  }

  @Test
  void aWindowThatCannotBeShownIsRefused() {
    assertThatThrownBy(() -> MapWindow.everything(0)).hasMessageContaining("0 cells");
    assertThatThrownBy(() -> MapWindow.everything(MapWindow.MAX_CELLS + 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new MapWindow(null, 5, 5, 1)).hasMessageContaining("from 5 to 5");
    assertThatThrownBy(() -> new MapWindow(null, -1, 5, 1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void theBudgetTreeIsBoundedAndAddsUp() {
    try (Pool pool = pool(64 << 20)) {
      Budget uploads = pool.rootBudget().child("uploads", 32 << 20);
      List<Block> live = new ArrayList<>();
      for (int i = 0; i < 2 * BudgetView.MAX_CHILDREN; i++) {
        live.add(pool.allocate(1024 * (i + 1), uploads.child("channel " + i, Budget.UNLIMITED)));
      }
      live.add(pool.allocate(64, uploads));
      live.add(pool.allocate(64));

      BudgetView root = pool.view(MapWindow.NOTHING).budgets();

      assertThat(root.ownBytes()).isEqualTo(64);
      BudgetView shown = root.children().getFirst();
      assertThat(shown.name()).isEqualTo("uploads");
      assertThat(shown.limitBytes()).isEqualTo(32 << 20);
      assertThat(shown.chargedBytes()).isEqualTo(uploads.chargedBytes());
      assertThat(shown.peakBytes()).isEqualTo(shown.chargedBytes());
      assertThat(shown.children()).hasSize(BudgetView.MAX_CHILDREN);
      assertThat(shown.children())
          .isSortedAccordingTo(Comparator.comparing(BudgetView::chargedBytes).reversed());
      assertThat(shown.children().getFirst().chargedBytes()).isEqualTo(64 << 10);
      assertThat(shown.otherChildren()).isEqualTo(BudgetView.MAX_CHILDREN);
      assertThat(shown.otherBytes()).isPositive();
      assertThat(shown.ownBytes()).isEqualTo(64);
      live.forEach(Block::release);
    }
  }

  @Test
  void aViewIsTakenWhileThreadsAllocateAndThePoolCloses() throws Exception {
    for (int round = 0; round < 20; round++) {
      Pool pool = pool(16 << 20);
      AtomicBoolean stop = new AtomicBoolean();
      List<Thread> workers = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        workers.add(Thread.ofPlatform().start(() -> allocateUntil(pool, stop)));
      }
      for (int look = 0; look < 50; look++) {
        if (look == 40) {
          pool.close();
        }
        checkBounds(pool.view(MapWindow.everything(64)));
      }
      stop.set(true);
      for (Thread worker : workers) {
        worker.join();
      }
      Await.untilPasses(
          () -> assertThat(sum(pool.view(EVERYTHING).pages(), PageMap.Region::liveBytes)).isZero());
    }
  }

  private static void allocateUntil(Pool pool, AtomicBoolean stop) {
    SplittableRandom random = new SplittableRandom(Thread.currentThread().threadId());
    List<Block> live = new ArrayList<>();
    while (!stop.get() && !pool.isClosed()) {
      try {
        live.add(pool.allocate(1 << random.nextInt(4, 19)));
      } catch (IllegalStateException closed) {
        break;
      } catch (OutOfMemoryError full) {
        live.forEach(Block::release);
        live.clear();
      }
    }
    live.forEach(Block::release);
  }

  /**
   * Whatever threads do meanwhile, pages of slabs are blocks, free slots and what is uncommitted.
   */
  private static void checkSum(SlabSum slabs) {
    assertThat(slabs.uncommittedBytes()).isNotNegative();
    assertThat(slabs.blockBytes() + slabs.freeSlotBytes() + slabs.uncommittedBytes())
        .isEqualTo(slabs.pageBytes());
  }

  private static void checkBounds(PoolView view) {
    assertThat(view.blocks()).isNotNegative();
    assertThat(view.waste().freeSlotBytes()).isNotNegative();
    view.classes().forEach(sizeClass -> checkSum(sizeClass.slabs()));
    view.heaps().forEach(heap -> checkSum(heap.slabs()));
    for (PageMap.Region region : view.pages().regions()) {
      for (int cell = 0; cell < region.cells(); cell++) {
        assertThat(region.liveBytes(cell) + region.dirtyBytes(cell))
            .isBetween(0L, region.cellBytes());
      }
    }
  }
}
