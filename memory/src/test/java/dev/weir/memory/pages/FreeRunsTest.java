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
    assertThat(runs.atOrBefore(100)).isEqualTo(FreeRuns.NONE);
    assertThat(runs.after(FreeRuns.NONE)).isEqualTo(FreeRuns.NONE);
    assertThat(runs.longest()).isZero();
  }

  @Test
  void theLowestRunThatFitsIsFoundAndNotTheBest() {
    runs.add(50, 4);
    runs.add(10, 2);
    runs.add(20, 9);

    assertThat(runs.firstFit(1)).isEqualTo(10);
    assertThat(runs.firstFit(3)).isEqualTo(20);
    assertThat(runs.firstFit(10)).isEqualTo(FreeRuns.NONE);
  }

  @Test
  void aResizedRunIsFoundByItsNewLength() {
    runs.add(10, 2);
    runs.add(20, 5);
    runs.resize(20, 22, 3);

    assertThat(runs.firstFit(3)).isEqualTo(22);
    assertThat(runs.firstFit(4)).isEqualTo(FreeRuns.NONE);
    assertThat(runs.lengthAt(20)).isZero();
    assertThat(runs.lengthAt(22)).isEqualTo(3);
  }

  @Test
  void aRunThatIsNotThereCannotBeRemovedOrResized() {
    runs.add(10, 2);

    assertThatThrownBy(() -> runs.remove(11)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> runs.resize(9, 9, 1)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void itAgreesWithAnOrderedMap() {
    SeededRuns.forSeeds(
        getClass(),
        20,
        random -> {
          FreeRuns tested = new FreeRuns();
          TreeMap<Long, Long> model = new TreeMap<>();
          for (int step = 0; step < 2_000; step++) {
            long start = random.nextLong(500) * 20;
            if (!model.containsKey(start)) {
              long length = 1 + random.nextLong(20);
              tested.add(start, length);
              model.put(start, length);
            } else if (random.nextBoolean()) {
              tested.remove(start);
              model.remove(start);
            } else {
              long length = 1 + random.nextLong(20);
              tested.resize(start, start, length);
              model.put(start, length);
            }
            compare(tested, model, random.nextLong(10_000), 1 + random.nextLong(22));
          }
        });
  }

  private static void compare(FreeRuns tested, TreeMap<Long, Long> model, long page, long pages) {
    assertThat(tested.size()).isEqualTo(model.size());
    assertThat(tested.longest())
        .isEqualTo(model.values().stream().mapToLong(Long::longValue).max().orElse(0));
    assertThat(tested.firstFit(pages))
        .isEqualTo(
            model.entrySet().stream()
                .filter(run -> run.getValue() >= pages)
                .mapToLong(Map.Entry::getKey)
                .findFirst()
                .orElse(FreeRuns.NONE));
    Long before = model.floorKey(page);
    assertThat(tested.atOrBefore(page)).isEqualTo(before == null ? FreeRuns.NONE : before);
    Long after = model.higherKey(page);
    assertThat(tested.after(page)).isEqualTo(after == null ? FreeRuns.NONE : after);
    assertThat(tested.lengthAt(page)).isEqualTo(model.getOrDefault(page, 0L));
  }
}
