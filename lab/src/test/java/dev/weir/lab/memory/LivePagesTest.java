package dev.weir.lab.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LivePagesTest {
  private static final int PAGE = LivePages.PAGE_BYTES;

  private record Block(long address, long bytes) {}

  @Test
  void countsWhatBlocksTouch() {
    LivePages pages = new LivePages();
    pages.add(PAGE - 1, 1);
    assertThat(pages.bytes()).isEqualTo(PAGE);
    pages.add(PAGE - 3, 2);
    assertThat(pages.bytes()).isEqualTo(PAGE);
    pages.add(2 * PAGE - 1, 2 * PAGE);
    assertThat(pages.bytes()).isEqualTo(4 * PAGE);
    pages.remove(PAGE - 1, 1);
    assertThat(pages.bytes()).isEqualTo(4 * PAGE);
    pages.remove(PAGE - 3, 2);
    assertThat(pages.bytes()).isEqualTo(3 * PAGE);
    pages.remove(2 * PAGE - 1, 2 * PAGE);
    assertThat(pages.bytes()).isZero();
    assertThatThrownBy(() -> pages.remove(0, 1)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void agreesWithACountOfEveryPage() {
    long seed = Long.getLong("weir.test.seed", System.nanoTime());
    Random random = new Random(seed);
    LivePages pages = new LivePages();
    Map<Long, Integer> model = new HashMap<>();
    List<Block> live = new ArrayList<>();
    long next = 0x7000_0000_0000L;
    for (int i = 0; i < 40_000; i++) {
      if (random.nextInt(100) < (i < 30_000 ? 52 : 20) || live.isEmpty()) {
        Block block = new Block(next, 1 + random.nextInt(1 << (1 + random.nextInt(16))));
        next += block.bytes + random.nextInt(3) * 1000L;
        live.add(block);
        pages.add(block.address, block.bytes);
        touched(block).forEach(page -> model.merge(page, 1, Integer::sum));
      } else {
        Block block = live.remove(random.nextInt(live.size()));
        pages.remove(block.address, block.bytes);
        touched(block).forEach(page -> model.merge(page, -1, LivePagesTest::sumOrNone));
      }
      assertThat(pages.bytes())
          .as("step %d; replay with -Dtest=LivePagesTest -Dweir.test.seed=%d", i, seed)
          .isEqualTo((long) model.size() * PAGE);
    }
  }

  private static Integer sumOrNone(Integer a, Integer b) {
    return a + b == 0 ? null : Integer.valueOf(a + b);
  }

  private static List<Long> touched(Block block) {
    List<Long> touched = new ArrayList<>();
    for (long page = block.address / PAGE; page * PAGE < block.address + block.bytes; page++) {
      touched.add(page);
    }
    return touched;
  }
}
