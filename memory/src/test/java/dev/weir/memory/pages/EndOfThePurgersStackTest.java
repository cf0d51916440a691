package dev.weir.memory.pages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.testing.EndOfStack;
import dev.weir.memory.testing.PageHeaps;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Threads that run out of stack while they purge, or grow a block: where a claim is lost or a room
 * stays busy, whoever needs it next waits for ever.
 */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class EndOfThePurgersStackTest {
  private static final int WARM_UPS = 5_000;
  private static final int OVERFLOWS = 20;

  private static final long LIMIT_BYTES = 64 << 20;
  private static final long RUN_BYTES = 128 << 10;
  private static final long RANGE_BYTES = 4 << 20;

  /** What fits beside the runs that stay, once everything dirty is purged. */
  private static final long REST_BYTES = LIMIT_BYTES - 4 * RUN_BYTES;

  private final FakeNativeMemory os = new FakeNativeMemory();
  private final PageHeap heap = PageHeaps.over(os, LIMIT_BYTES, new LookingEvents());
  private final long[] runs = new long[8];
  private long rest = Runs.FULL;
  private @Nullable GrowthRange range;

  /** As a pool to whose pressure somebody listens: takes the lock once more. */
  private final class LookingEvents implements PageHeapEvents {
    @Override
    public void roomFreed() {
      heap.hasLeftBand();
    }

    @Override
    public void liveGrown() {}

    @Override
    public void dirtyHigh() {}
  }

  @AfterEach
  void nothingIsLost() {
    assertTimeoutPreemptively(Duration.ofMinutes(1), heap.dirtyPurges()::purgeAll);
    heap.checkInvariants();
    assertThat(heap.totals().liveBytes()).isZero();
    assertThat(heap.totals().dirtyBytes()).isZero();
  }

  @Test
  void settlesWhatPurgeDownToClaims() throws InterruptedException {
    repeat(this::makeDirty, () -> heap.dirtyPurges().purgeDownTo(0), this::freeAll);
  }

  @Test
  void settlesWhatPurgeAllClaims() throws InterruptedException {
    repeat(this::makeDirty, () -> heap.dirtyPurges().purgeAll(), this::freeAll);
  }

  @Test
  void settlesWhatMakeRoomClaims() throws InterruptedException {
    repeat(
        this::makeDirty, () -> heap.dirtyPurges().makeRoom(REST_BYTES, Lane.LARGE), this::freeAll);
  }

  @Test
  void settlesWhatARunClaims() throws InterruptedException {
    repeat(this::makeDirty, this::takeRest, this::freeAll);
  }

  @Test
  void settlesWhatAGrowingBlockClaims() throws InterruptedException {
    repeat(
        () -> {
          makeDirty();
          range = heap.growth().tryOpen(RUN_BYTES, Lane.LARGE);
        },
        () -> heap.growth().tryExtend(range(), RANGE_BYTES, Lane.LARGE),
        () -> {
          heap.growth().close(range());
          freeAll();
        });
  }

  @Test
  void movesABlockToTheEndOrNotAtAll() throws InterruptedException {
    repeat(
        () -> range = heap.growth().tryOpen(RANGE_BYTES, Lane.LARGE),
        () -> {
          if (range().rangeBytes() == RANGE_BYTES) {
            range = heap.growth().tryMove(range(), 2 * RANGE_BYTES, Lane.LARGE);
          }
        },
        () -> {
          assertThat(range().liveBytes).isEqualTo(2 * RANGE_BYTES);
          heap.growth().close(range());
          heap.dirtyPurges().purgeAll();
        });
  }

  private GrowthRange range() {
    return Objects.requireNonNull(range);
  }

  private void makeDirty() {
    for (int i = 0; i < runs.length; i++) {
      runs[i] = heap.runs().allocate(RUN_BYTES);
    }
    for (int i = 0; i < runs.length; i += 2) {
      heap.runs().free(runs[i], RUN_BYTES, Lane.LARGE);
    }
  }

  private void takeRest() {
    if (rest == Runs.FULL) {
      rest = heap.runs().allocate(REST_BYTES);
    }
  }

  private void freeAll() {
    if (rest != Runs.FULL) {
      heap.runs().free(rest, REST_BYTES, Lane.LARGE);
      rest = Runs.FULL;
    }
    for (int i = 1; i < runs.length; i += 2) {
      heap.runs().free(runs[i], RUN_BYTES, Lane.LARGE);
    }
    heap.dirtyPurges().purgeAll();
    os.takePurges();
  }

  /** Often enough that all of it is compiled; then on the way back from the end of the stack. */
  private void repeat(Runnable before, Runnable work, Runnable after) throws InterruptedException {
    EndOfStack.onThread(() -> {
      for (int i = 0; i < WARM_UPS + OVERFLOWS; i++) {
        before.run();
        if (i < WARM_UPS) {
          work.run();
        } else {
          EndOfStack.descend(work);
        }
        after.run();
      }
    });
  }
}
