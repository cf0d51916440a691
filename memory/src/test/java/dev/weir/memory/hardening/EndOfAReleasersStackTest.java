package dev.weir.memory.hardening;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.heap.PageHeaps;
import dev.weir.memory.os.NativeMemory;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.testing.EndOfStack;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Hardened blocks that enter the quarantine where the stack comes to an end. */
class EndOfAReleasersStackTest {
  private static final int PURGES_ALONE = 50_000;
  private static final int OVERFLOWS = 50;
  private static final long LIMIT_BYTES = 1 << 20;

  private final PageHeap pages = PageHeaps.over(NativeMemory.system(), LIMIT_BYTES);
  private final Hardener hardener = new Hardener(Hardening.full(), "p", LIMIT_BYTES, () -> {});
  private int entered;
  private int calls;
  private final Quarantine quarantine = new Quarantine(LIMIT_BYTES, () -> calls++);

  @AfterEach
  void giveBack() {
    pages.reservation().release();
  }

  /** Where the purge that may follow is compiled, and its beginning has no room, it is left out. */
  @Test
  void whatEntersIsClosedByTheOneWhoIsCalled() throws InterruptedException {
    EndOfStack.onThread(() -> {
      Guard first = guard();
      for (int i = 0; i < PURGES_ALONE; i++) {
        first.purgeFor(first.runBytes());
      }
      release(first);
      for (int i = 1; i < OVERFLOWS; i++) {
        release(guard());
      }
    });

    assertThat(entered).as("blocks whose entry returned").isEqualTo(OVERFLOWS);
    assertThat(calls).isEqualTo(OVERFLOWS);
    assertThat(pages.totals().liveBytes()).isZero();
    pages.checkInvariants();
  }

  private Guard guard() {
    return Objects.requireNonNull(hardener.tryGuard(pages, 100));
  }

  private void release(Guard guard) {
    guard.claimRelease();
    EndOfStack.descend(() -> {
      if (quarantine.size() == 0) {
        quarantine.add(guard);
        entered++;
      }
    });
    quarantine.giveUp(Long.MAX_VALUE);
  }
}
