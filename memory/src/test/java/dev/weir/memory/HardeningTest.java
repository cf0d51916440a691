package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.memory.hardening.Hardening;
import dev.weir.memory.heap.OwnedHeap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** The settings, and the sample that is drawn by them. */
class HardeningTest {
  private static final int BLOCKS = 400_000;
  private static final int INTERVAL = 1_000;

  @Test
  void settingsAreRead() {
    assertThat(Hardening.parse("off")).isNull();
    assertThat(Hardening.parse(" Sampled ")).isEqualTo(Hardening.sampled());
    assertThat(Hardening.parse("full")).isEqualTo(Hardening.full());
    assertThat(Hardening.parse("100")).isEqualTo(Hardening.oneIn(100));
    assertThat(Hardening.full().isFull()).isTrue();
    assertThat(Hardening.sampled().isFull()).isFalse();
    assertThat(Hardening.oneIn(5).withPoison().withQuarantine(1 << 20))
        .isEqualTo(new Hardening(5, 1 << 20, true));
  }

  @Test
  void nonsenseIsRefusedByName() {
    for (String text : new String[] {"", "on", "0", "-1", "1.5", "99999999999"}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Hardening.parse(text))
          .withMessageContaining("hardening '" + text + "' is not off, sampled, full");
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Hardening.sampled().withQuarantine(-1))
        .withMessageContaining("-1");
  }

  @Test
  @ResourceLock(Resources.SYSTEM_PROPERTIES)
  void thePropertyOfTheProcessHoldsForPoolsThatSayNothing() {
    PoolOptions before = PoolOptions.withLimit(1 << 20);
    String found = System.getProperty(Hardening.PROPERTY);
    System.setProperty(Hardening.PROPERTY, "250");
    try {
      PoolOptions asked = PoolOptions.withLimit(1 << 20);
      assertThat(asked.hardening()).isEqualTo(Hardening.oneIn(250));
      assertThat(asked.withName("other").hardening()).isEqualTo(Hardening.oneIn(250));
      assertThat(asked.withoutHardening().hardening()).isNull();
      assertThat(asked.withHardening(Hardening.full()).hardening()).isEqualTo(Hardening.full());
    } finally {
      if (found == null) {
        System.clearProperty(Hardening.PROPERTY);
      } else {
        System.setProperty(Hardening.PROPERTY, found);
      }
    }
    assertThat(PoolOptions.withLimit(1 << 20).hardening()).isEqualTo(before.hardening());
  }

  @Test
  void aSampleIsDrawnAndNotMore() {
    Pool pool =
        Pool.create(PoolOptions.withLimit(8 << 20).withHardening(Hardening.oneIn(INTERVAL)));
    OwnedHeap heap = pool.support().ownedHeap(task -> {});
    int hardened = 0;
    for (int i = 0; i < BLOCKS; i++) {
      Block block =
          i % 2 == 0
              ? pool.allocate(64)
              : pool.support().allocateBlock(heap, 64, pool.rootBudget());
      hardened += block.history() == null ? 0 : 1;
      block.release();
    }
    // Fewer where the samples would take too much of the thread's time, which the machine decides.
    assertThat(hardened).isBetween(1, BLOCKS / INTERVAL * 3 / 2);
    heap.close();
    pool.close();
  }
}
