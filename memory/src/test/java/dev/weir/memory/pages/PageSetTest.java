package dev.weir.memory.pages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.testing.SeededRuns;
import java.util.BitSet;
import org.junit.jupiter.api.Test;

class PageSetTest {
  @Test
  void aPageSetAgreesWithABitSet() {
    SeededRuns.forSeeds(
        getClass(),
        20,
        random -> {
          PageSet tested = new PageSet();
          BitSet model = new BitSet();
          for (int step = 0; step < 500; step++) {
            int from = random.nextInt(PageSet.MAX_PAGES + 1);
            int to = from + random.nextInt(PageSet.MAX_PAGES - from + 1);
            if (random.nextBoolean()) {
              tested.add(from, to);
              model.set(from, to);
            } else {
              tested.remove(from, to);
              model.clear(from, to);
            }
            compare(tested, model, random.nextInt(PageSet.MAX_PAGES + 1));
          }
        });
  }

  private static void compare(PageSet tested, BitSet model, int at) {
    assertThat(tested.size()).isEqualTo(model.cardinality());
    assertThat(tested.isEmpty()).isEqualTo(model.isEmpty());
    int next = model.nextSetBit(at);
    assertThat(tested.next(at)).isEqualTo(next < 0 ? PageSet.MAX_PAGES : next);
    assertThat(tested.nextAbsent(at))
        .isEqualTo(Math.min(PageSet.MAX_PAGES, model.nextClearBit(at)));
    int inside = model.get(at, PageSet.MAX_PAGES).cardinality();
    assertThat(tested.countIn(at, PageSet.MAX_PAGES)).isEqualTo(inside);
    assertThat(tested.containsAll(at, PageSet.MAX_PAGES))
        .isEqualTo(inside == PageSet.MAX_PAGES - at);
  }

  @Test
  void aCopyIsASetOfItsOwn() {
    PageSet set = new PageSet();
    set.add(60, 70);
    PageSet copy = new PageSet(set);
    set.removeAll(copy);

    assertThat(set.isEmpty()).isTrue();
    assertThat(copy.containsAll(60, 70)).isTrue();
  }
}
