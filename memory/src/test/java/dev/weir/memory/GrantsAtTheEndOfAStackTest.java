package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.heap.PageHeaps;
import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.testing.EndOfStack;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Threads that recurse without end, and run out of stack while they ask for grants, or close. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class GrantsAtTheEndOfAStackTest {
  private static final int MIB = 1 << 20;
  private static final long LIMIT_BYTES = 256 * MIB;
  private static final int PAGE = 4_096;

  /** More than a stack has levels at which the work may overflow. */
  private static final int LEVELS = 3_000;

  private static final int DESCENTS = 6;

  private final PageHeap pages = PageHeaps.over(new FakeNativeMemory(), LIMIT_BYTES);
  private final Budget root = Budget.root("root", () -> LIMIT_BYTES, 0, () -> 0);

  /** A queue of its own for each level. */
  private final class Level {
    final Budget full = root.child("full", MIB);
    final GrantQueue queue = new GrantQueue(pages, root);

    Level() {
      assertThat(full.tryCharge(MIB)).isTrue();
    }

    CompletableFuture<Grant> request() {
      return queue.request(PAGE, Long.MAX_VALUE, full);
    }
  }

  private interface Work {
    void at(Level level);
  }

  /** Goes to the end of a stack, and does it at each level of the way back; the levels reached. */
  private List<Level> descend(List<Level> levels, Work work) throws InterruptedException {
    Iterator<Level> next = levels.iterator();
    List<Level> reached = new ArrayList<>();
    EndOfStack.onThread(() ->
        EndOfStack.descend(() -> {
          if (next.hasNext()) {
            Level level = next.next();
            reached.add(level);
            work.at(level);
          }
        }));
    assertThat(reached).hasSizeBetween(10, LEVELS - 1);
    return reached;
  }

  private List<Level> newLevels() {
    List<Level> levels = new ArrayList<>();
    for (int i = 0; i < LEVELS; i++) {
      levels.add(new Level());
    }
    return levels;
  }

  /** What the JVM links at its first use takes far more stack than its use. */
  @BeforeEach
  void linkAll() {
    Level level = new Level();
    CompletableFuture<Grant> waiting = level.request();
    level.queue.close();
    assertThat(waiting).isCompletedExceptionally();
    assertThat(new Level().queue.tryRequest(PAGE, level.full)).isNull();
  }

  @Test
  void whoWaitsIsToldOfTheClosing() throws InterruptedException {
    for (int i = 0; i < DESCENTS; i++) {
      List<Level> levels = newLevels();
      List<CompletableFuture<Grant>> waiting = levels.stream().map(Level::request).toList();

      descend(levels, level -> level.queue.close());

      levels.forEach(level -> level.queue.close());
      levels.forEach(level -> level.queue.serve(0)); // as the purger does, for those untold
      assertThat(waiting).allSatisfy(each -> assertThat(each).isCompletedExceptionally());
    }
  }

  /** It would keep others from what it does not wait for. */
  @Test
  void whoCouldNotBeEnteredLeavesNothingBehind() throws InterruptedException {
    for (int i = 0; i < DESCENTS; i++) {
      for (Level level : descend(newLevels(), Level::request)) {
        if (!level.queue.hasWaiting()) {
          level.full.uncharge(MIB);
          assertThat(level.full.chargedBytes()).isZero();
          Grant grant = level.queue.tryRequest(PAGE, level.full);
          assertThat(grant).isNotNull();
          grant.close();
        }
      }
    }
  }

  @Test
  void whoCouldNotBeServedLeavesNothingBehind() throws InterruptedException {
    for (int i = 0; i < DESCENTS; i++) {
      List<Level> levels = newLevels();
      levels.forEach(level -> level.full.uncharge(MIB));

      List<Level> reached =
          descend(
              levels,
              level -> {
                Grant grant = level.queue.tryRequest(PAGE, level.full);
                assertThat(grant).isNotNull();
                grant.close();
              });

      assertThat(reached).allSatisfy(level -> assertThat(level.full.chargedBytes()).isEqualTo(0));
      assertThat(pages.totals().promisedBytes()).isZero();
    }
  }
}
