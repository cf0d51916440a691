package dev.weir.memory.pages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.memory.testing.SeededRuns;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class FreeRunsTest {
  private final FreeRuns runs = new FreeRuns();

  @Test
  void anEmptyIndexFindsNothing() {
    assertThat(runs.firstFit(1)).isEqualTo(FreeRuns.NONE);
    assertThat(runs.seek(100)).isEqualTo(FreeRuns.NONE);
    assertThat(runs.nextStart()).isEqualTo(FreeRuns.NONE);
    assertThat(runs.isAt(0)).isFalse();
    assertThat(runs.longest()).isZero();
  }

  @Test
  void theLowestRunThatFitsIsFoundAndNotTheBest() {
    add(50, 4);
    add(10, 2);
    add(20, 9);

    assertThat(runs.firstFit(1)).isEqualTo(10);
    assertThat(runs.firstFit(3)).isEqualTo(20);
    assertThat(runs.isAt(20)).isTrue();
    assertThat(runs.firstFit(10)).isEqualTo(FreeRuns.NONE);
    assertThat(runs.isAt(20)).isFalse();
  }

  @Test
  void aResizedRunIsFoundByItsNewLength() {
    add(10, 2);
    add(20, 5);
    runs.resize(22, 3);

    assertThat(runs.firstFit(3)).isEqualTo(22);
    assertThat(runs.firstFit(4)).isEqualTo(FreeRuns.NONE);
    assertThat(runs.seek(21)).isEqualTo(10);
    assertThat(runs.nextStart()).isEqualTo(22);
  }

  @Test
  void whatRoomWasMadeForNeedsNoMore() {
    int insertions = 64;
    runs.makeRoomFor(30_000 + insertions);
    int capacity = runs.nodeCapacity();
    for (int i = 0; i < 30_000; i++) {
      add(i * 1_000L, 1);
    }
    // All in one leaf, then one in each of as many leaves: both split the most nodes they can.
    for (int i = 0; i < insertions; i++) {
      long start = (i < insertions / 2 ? 15_000_000 : i * 400_000L) + 100 + 2 * i;
      runs.seek(start);
      runs.insertNext(start, 1);
    }
    assertThat(runs.nodeCapacity()).isEqualTo(capacity);
    runs.checkInvariants();
  }

  @Test
  void theCursorGoesThroughAllRunsInOrder() {
    for (int i = 0; i < 5_000; i++) {
      add((i * 2_887L) % 5_000 * 10, 1 + i % 7);
    }
    runs.checkInvariants();

    runs.seek(FreeRuns.NONE);
    for (long start = 0; start < 50_000; start += 10) {
      assertThat(runs.nextStart()).isEqualTo(start);
      runs.moveNext();
      assertThat(runs.start()).isEqualTo(start);
    }
    assertThat(runs.nextStart()).isEqualTo(FreeRuns.NONE);
    assertThatThrownBy(runs::moveNext).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void freeRunsAgreeWithAnOrderedMapWhileTheyGrowAndShrink() {
    SeededRuns.forSeeds(
        getClass(),
        20,
        random -> {
          FreeRuns tested = new FreeRuns();
          TreeMap<Long, Long> model = new TreeMap<>();
          for (int step = 0; step < 8_000; step++) {
            // More is added than removed for 2,000 steps, and then the other way round.
            boolean growing = step / 2_000 % 2 == 0;
            long page = random.nextLong(60_000);
            if (random.nextInt(10) < (growing ? 6 : 1)) {
              long start = page / 20 * 20;
              if (model.subMap(start, start + 20).isEmpty()) {
                long length = 1 + random.nextLong(17);
                tested.seek(start);
                tested.insertNext(start, length);
                model.put(start, length);
              }
            } else if (tested.seek(page) != FreeRuns.NONE) {
              long start = tested.start();
              Map.Entry<Long, Long> next = model.higherEntry(start);
              if (next != null && random.nextInt(8) == 0) {
                tested.swallowNext();
                model.remove(next.getKey());
                model.put(start, next.getKey() + next.getValue() - start);
              } else if (random.nextInt(3) > 0) {
                tested.remove();
                model.remove(start);
              } else {
                long moved = start / 20 * 20 + random.nextLong(3);
                long length = 1 + random.nextLong(17);
                tested.resize(moved, length);
                model.remove(start);
                model.put(moved, length);
              }
            }
            compare(tested, model, random.nextLong(60_000), 1 + random.nextLong(22));
            if (step % 100 == 0) {
              tested.checkInvariants();
            }
          }
        });
  }

  private void add(long start, long length) {
    runs.seek(start);
    runs.insertNext(start, length);
  }

  private static void compare(FreeRuns tested, TreeMap<Long, Long> model, long page, long pages) {
    assertThat(tested.size()).isEqualTo(model.size());
    assertThat(tested.firstFit(pages))
        .isEqualTo(
            model.entrySet().stream()
                .filter(run -> run.getValue() >= pages)
                .mapToLong(Map.Entry::getKey)
                .findFirst()
                .orElse(FreeRuns.NONE));
    Map.Entry<Long, Long> before = model.floorEntry(page);
    assertThat(tested.seek(page)).isEqualTo(before == null ? FreeRuns.NONE : before.getKey());
    if (before != null) {
      assertThat(tested.length()).isEqualTo(before.getValue());
    }
    Long after = model.higherKey(page);
    assertThat(tested.nextStart()).isEqualTo(after == null ? FreeRuns.NONE : after);
  }
}
