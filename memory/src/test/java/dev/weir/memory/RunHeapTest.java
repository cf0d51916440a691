package dev.weir.memory;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.heap.RunHeap;
import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.pages.Lane;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.testing.PageHeaps;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RunHeapTest {
  private static final long LIMIT_BYTES = 16 << 20;
  private static final long PROMISED_BYTES = 256 << 10;

  private final FakeNativeMemory os = new FakeNativeMemory();
  private final PageHeap pages = PageHeaps.over(os, LIMIT_BYTES);

  private final RunHeap runs = new RunHeap(pages);
  private final Budget root = Budget.root("root", () -> LIMIT_BYTES, 0, () -> 0);

  @Test
  void theNextRunFindsTheObjectOfAFreedOneAtItsOwnAddress() {
    Block first = allocate(64 << 10);
    Block second = allocate(128 << 10);
    assertThat(second).isNotSameAs(first);
    long address = second.address();
    second.release();
    assertThatThrownBy(second::release).isInstanceOf(IllegalStateException.class);

    Block third = allocate(1 << 20);
    assertThat(third).isSameAs(second);
    assertThat(third.address()).isEqualTo(address);
    assertThat(third.size()).isEqualTo(1 << 20);
    first.release();
    Block fourth = allocate(8 << 10);
    assertThat(fourth.address()).isLessThan(address);
    assertThat(fourth.size()).isEqualTo(8 << 10);
    third.release();
    fourth.release();
    assertThat(pages.totals().liveBytes()).isZero();
    pages.checkInvariants();
  }

  @Test
  void noMoreThanAFewObjectsRest() {
    Set<Block> blocks = Collections.newSetFromMap(new IdentityHashMap<>());
    for (int i = 0; i < 200; i++) {
      blocks.add(allocate(8 << 10));
    }
    blocks.forEach(Block::release);
    int known = 0;
    for (int i = 0; i < 200; i++) {
      known += blocks.add(allocate(8 << 10)) ? 0 : 1;
    }
    assertThat(known).isEqualTo(64);
  }

  private Block allocate(long bytes) {
    return requireNonNull(runs.tryAllocate(bytes, root, Block.factory(root)));
  }

  /** The Java heap may be full. */
  @Test
  void aPromiseIsAsItWasWhereNoObjectForTheRunCanBeMade() {
    assertThat(pages.promises().tryMake(PROMISED_BYTES, Lane.SMALL_PROMISE)).isTrue();

    assertThatThrownBy(() ->
            runs.tryAllocatePromised(
                PROMISED_BYTES / 2,
                Lane.SMALL_PROMISE,
                (home, number, found) -> {
                  throw new OutOfMemoryError("Java heap space, says the test");
                }))
        .isInstanceOf(OutOfMemoryError.class);

    assertThat(pages.totals().promisedBytes()).isEqualTo(PROMISED_BYTES);
    assertThat(pages.totals().liveBytes()).isZero();
    pages.promises().giveBack(PROMISED_BYTES, Lane.SMALL_PROMISE);
    pages.checkInvariants();
  }
}
