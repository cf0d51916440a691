package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.budget.BudgetExceededError;
import dev.weir.memory.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Small grants and larger ones: neither starves the other. */
@Timeout(120)
class GrantLanesTest {
  private static final Duration LONG = Duration.ofHours(1);
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final int SMALL = 64 << 10;

  /** Of 16 MiB, a 16th is the small ones' own: sixteen of the largest of them. */
  private static final int SHARE = 16;

  private final Pool pool =
      Pool.create(PoolOptions.withLimit(16 << 20).withDecay(Duration.ofDays(1)));

  @AfterEach
  void nothingIsLeft() {
    Await.until(() -> pool.snapshot().promisedBytes() == 0, () -> pool.snapshot().toString());
    assertThat(pool.liveBlockBytes()).isZero();
    Await.untilPasses(pool::checkInvariants);
    pool.close();
  }

  private static Grant granted(CompletableFuture<Grant> future) {
    assertThat(future).succeedsWithin(SOON);
    return future.join();
  }

  private List<CompletableFuture<Grant>> ask(int count) {
    List<CompletableFuture<Grant>> asked = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      asked.add(pool.grant(SMALL, LONG));
    }
    return asked;
  }

  /** Everything before it has been served or left waiting by the purger. */
  private void awaitPurger() {
    CompletableFuture<Grant> late = pool.grant(12 << 20, Duration.ofMillis(1));
    Await.until(late::isDone, () -> "the purger to come by");
    assertThat(late).isCompletedExceptionally();
  }

  @Test
  void aGiantThatWaitsHoldsUpNoSmallOnes() {
    Grant most = granted(pool.grant(14_000_000, LONG));
    CompletableFuture<Grant> giant = pool.grant(10 << 20, LONG);

    List<CompletableFuture<Grant>> small = ask(SHARE);

    assertThat(small).allSatisfy(each -> assertThat(each).isCompleted());
    assertThat(giant).isNotDone();
    most.close();
    granted(giant).close();
    small.forEach(each -> each.join().close());
  }

  @Test
  void smallOnesTakeNoMoreThanTheirShareFromAGiantThatWaits() {
    Grant first = granted(pool.grant(8 << 20, LONG));
    CompletableFuture<Grant> giant = pool.grant(10 << 20, LONG);
    List<CompletableFuture<Grant>> small = ask(3 * SHARE);
    awaitPurger();
    assertThat(small.stream().filter(CompletableFuture::isDone)).hasSize(SHARE);
    assertThat(small.subList(0, SHARE)).allSatisfy(each -> assertThat(each).isCompleted());

    // Those that hold on to what they have cannot keep it from the giant.
    first.close();

    Grant got = granted(giant);
    small.forEach(each -> granted(each).close());
    got.close();
  }

  /**
   * Blocks count too: else each of them would make room for the next, and the giant wait for all.
   */
  @Test
  void blocksOutOfSmallGrantsCountInTheirShare() {
    Grant first = granted(pool.grant(8 << 20, LONG));
    CompletableFuture<Grant> giant = pool.grant(10 << 20, LONG);
    List<Block> blocks = new ArrayList<>();
    for (CompletableFuture<Grant> each : ask(SHARE)) {
      try (Grant grant = granted(each)) {
        blocks.add(grant.allocate(SMALL));
      }
    }
    List<CompletableFuture<Grant>> more = ask(2);
    awaitPurger();
    assertThat(more).allSatisfy(each -> assertThat(each).isNotDone());

    blocks.removeLast().release();

    granted(more.getFirst()).close();
    granted(more.getLast()).close();
    assertThat(giant).isNotDone();
    first.close();
    granted(giant).close();
    blocks.forEach(Block::release);
  }

  @Test
  void smallOnesThatFillThePoolLeaveItToAGiantAsTheyEnd() {
    List<CompletableFuture<Grant>> small = ask(14 * SHARE);
    small.forEach(each -> assertThat(each).isCompleted());
    CompletableFuture<Grant> giant = pool.grant(10 << 20, LONG);
    List<CompletableFuture<Grant>> later = ask(14 * SHARE);
    for (CompletableFuture<Grant> each : small) {
      each.join().close();
    }

    Grant got = granted(giant);

    for (CompletableFuture<Grant> each : later) {
      granted(each).close();
    }
    got.close();
  }

  @Test
  void aLargeOneLeavesTheShareOfSmallOnesAlone() {
    long largest = (16 << 20) - (256 << 10) - (1 << 20) - (1 << 20);
    assertThat(pool.grant(largest + 1, LONG))
        .failsWithin(SOON)
        .withThrowableThat()
        .withCauseInstanceOf(BudgetExceededError.class);
    Grant grant = granted(pool.grant(largest, LONG));
    List<CompletableFuture<Grant>> small = ask(SHARE + 1);

    assertThat(small.subList(0, SHARE)).allSatisfy(each -> assertThat(each).isCompleted());
    assertThat(small.getLast()).isNotDone();
    small.getFirst().join().close();
    granted(small.getLast()).close();
    grant.close();
    small.subList(1, SHARE).forEach(each -> each.join().close());
  }

  @Test
  void oneThatIsWithdrawnMakesWayInEitherLane() {
    Grant most = granted(pool.grant(8 << 20, LONG));
    CompletableFuture<Grant> giant = pool.grant(10 << 20, LONG);
    CompletableFuture<Grant> large = pool.grant(1 << 20, LONG);
    List<CompletableFuture<Grant>> small = ask(SHARE + 1);
    awaitPurger();
    assertThat(large).isNotDone();
    assertThat(small.getLast()).isNotDone();

    giant.cancel(false);

    granted(large).close();
    granted(small.getLast()).close();
    small.subList(0, SHARE).forEach(each -> each.join().close());
    most.close();
  }

  @Test
  void theHeadOfTheSmallLaneMakesWayToo() {
    Grant most = granted(pool.grant(8 << 20, LONG));
    CompletableFuture<Grant> giant = pool.grant(10 << 20, LONG);
    List<CompletableFuture<Grant>> small = ask(SHARE);
    small.getFirst().join().close();
    Grant half = granted(pool.grant(SMALL / 2, LONG));
    CompletableFuture<Grant> head = pool.grant(SMALL, LONG);
    CompletableFuture<Grant> behind = pool.grant(SMALL / 2, LONG);
    awaitPurger();
    assertThat(head).isNotDone();
    assertThat(behind).isNotDone();

    head.cancel(false);

    granted(behind).close();
    half.close();
    giant.cancel(false);
    most.close();
    small.subList(1, SHARE).forEach(each -> each.join().close());
  }
}
