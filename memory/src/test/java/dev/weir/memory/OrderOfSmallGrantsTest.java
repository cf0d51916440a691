package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.testing.PageHeaps;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Small grants may overtake a large one of their budget, but not each other. */
class OrderOfSmallGrantsTest {
  private static final int KIB = 1 << 10;
  private static final int MIB = 1 << 20;
  private static final long LIMIT_BYTES = 16 * MIB;

  private final PageHeap pages = PageHeaps.over(new FakeNativeMemory(), LIMIT_BYTES);
  private final Budget root = Budget.root("root", () -> LIMIT_BYTES, 0, () -> 0);

  /** 64 KiB of it overtake. */
  private final Budget object = root.child("object", MIB);

  private final GrantQueue queue = new GrantQueue(pages, root);

  private CompletableFuture<Grant> request(long bytes) {
    return queue.request(bytes, Long.MAX_VALUE, object);
  }

  private CompletableFuture<Grant> waits(long bytes) {
    CompletableFuture<Grant> future = request(bytes);
    assertThat(future).isNotDone();
    return future;
  }

  @Test
  void whereWhatMayOvertakeIsSpent() {
    assertThat(object.tryCharge(MIB / 2)).isTrue();
    waits(768 * KIB);
    assertThat(request(32 * KIB)).isCompleted();

    waits(64 * KIB);

    waits(16 * KIB);
    assertThat(queue.tryRequest(16 * KIB, object)).isNull();
  }

  @Test
  void whereTheFirstDoesNotFit() {
    assertThat(object.tryCharge(MIB - 16 * KIB)).isTrue();
    waits(512 * KIB);

    CompletableFuture<Grant> first = waits(64 * KIB);

    CompletableFuture<Grant> second = waits(16 * KIB);
    queue.serve(0);
    assertThat(first).isNotDone();
    assertThat(second).isNotDone();
    object.uncharge(48 * KIB);
    queue.serve(0);
    assertThat(first).isCompleted();
    assertThat(second).isNotDone();
  }

  @Test
  void whereThereIsRoomBeforeItIsServed() {
    assertThat(object.tryCharge(MIB)).isTrue();
    waits(512 * KIB);
    CompletableFuture<Grant> first = waits(64 * KIB);
    object.uncharge(64 * KIB);

    assertThat(queue.tryRequest(64 * KIB, object)).isNull();
    waits(64 * KIB);

    queue.serve(0);
    assertThat(first).isCompleted();
  }

  /** It waits for its own budget, not for what the large one waits for. */
  @Test
  void oneBehindAnotherOfItsBudgetHoldsUpNoneOfOthers() {
    Budget leaf = object.child("leaf", 64 * KIB);
    Budget other = object.child("other", Budget.UNLIMITED);
    assertThat(leaf.tryCharge(64 * KIB)).isTrue();
    waits(MIB);
    assertThat(queue.request(4 * KIB, Long.MAX_VALUE, other)).isCompleted();
    assertThat(queue.request(4 * KIB, Long.MAX_VALUE, leaf)).isNotDone();

    assertThat(queue.request(64 * KIB, Long.MAX_VALUE, leaf)).isNotDone();

    assertThat(queue.request(4 * KIB, Long.MAX_VALUE, other)).isCompleted();
  }
}
