package dev.weir.memory.budget;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.budget.LargestChildren.Holding;
import dev.weir.memory.testing.SeededRuns;
import dev.weir.memory.testing.Workers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Budgets with a child for every connection, seen while connections come and go. */
class LargestChildrenTest {
  private final Budget root = Budget.root("root", () -> 1L << 30, 1 << 20, () -> 0);
  private final Budget connections = root.child("connections", Budget.UNLIMITED);

  @AfterEach
  void noWalkIsLeft() {
    assertThat(root.tree.firstWalk).isNull();
    root.checkInvariants();
  }

  private Budget open(long bytes) {
    Budget child = connections.child("c", Budget.UNLIMITED);
    assertThat(child.tryCharge(bytes)).isTrue();
    return child;
  }

  private static void close(Budget child) {
    child.close();
    child.uncharge(child.chargedBytes());
  }

  @Test
  void childrenThatHoldMostComeFirstAndTheOthersAreAddedUp() {
    List<Budget> all = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      all.add(open(i * 7_919 % 1_000));
    }

    LargestChildren largest = connections.largestChildren(3);

    assertThat(largest.top()).extracting(Holding::chargedBytes).containsExactly(999L, 998L, 997L);
    assertThat(largest.top()).allMatch(each -> each.budget().chargedBytes() == each.chargedBytes());
    assertThat(largest.others()).isEqualTo(997);
    assertThat(largest.otherBytes()).isEqualTo(499_500 - 999 - 998 - 997);
    assertThat(connections.largestChildren(0))
        .isEqualTo(new LargestChildren(List.of(), 1_000, 499_500));
    assertThat(connections.largestChildren(2_000).top()).hasSize(1_000);
    assertThat(connections.children()).containsExactlyElementsOf(all);
    assertThat(all.getFirst().largestChildren(3)).isEqualTo(new LargestChildren(List.of(), 0, 0));
    all.forEach(LargestChildrenTest::close);
    assertThat(connections.children()).isEmpty();
  }

  /** Each that stays is met once, whoever comes and goes during the walk. */
  @Test
  void aWalkMeetsOnceWhoStays() {
    SeededRuns.forSeeds(
        LargestChildrenTest.class,
        200,
        random -> {
          List<Budget> present = new ArrayList<>();
          for (int i = random.nextInt(100); i > 0; i--) {
            present.add(open(1));
          }
          Set<Budget> staying = new HashSet<>(present);
          Map<Budget, Integer> met = new HashMap<>();
          ChildWalk.through(
              connections,
              (child, bytes) -> {
                met.merge(child, 1, Integer::sum);
                for (int i = random.nextInt(5); i > 0 && !present.isEmpty(); i--) {
                  Budget leaving = present.remove(random.nextInt(present.size()));
                  staying.remove(leaving);
                  close(leaving);
                }
                if (met.size() < 150 && random.nextInt(3) > 0) {
                  present.add(open(1));
                }
              });
          assertThat(met.values()).allMatch(times -> times == 1);
          assertThat(met.keySet()).containsAll(staying);
          assertThat(connections.children()).containsExactlyElementsOf(present);
          present.forEach(LargestChildrenTest::close);
        });
  }

  @Test
  void manyWalkWhileConnectionsComeAndGo() throws InterruptedException {
    List<Budget> staying = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      staying.add(open(1_000 + i));
      open(0).close();
    }
    AtomicBoolean walking = new AtomicBoolean(true);
    Workers workers = new Workers();
    for (int walker = 0; walker < 2; walker++) {
      workers.platform(() -> {
        for (int i = 0; i < 2_000; i++) {
          LargestChildren largest = connections.largestChildren(100);
          assertThat(largest.top()).extracting(Holding::budget).containsAll(staying);
          assertThat(largest.otherBytes()).isBetween(0L, 999L * (1 + largest.others()));
        }
        walking.set(false);
      });
    }
    workers.platform(() -> {
      SplittableRandom random = new SplittableRandom(1);
      while (walking.get()) {
        List<Budget> brief = new ArrayList<>();
        for (int i = random.nextInt(100); i > 0; i--) {
          brief.add(open(random.nextInt(1_000)));
        }
        brief.forEach(LargestChildrenTest::close);
      }
    });
    workers.join();
    staying.forEach(LargestChildrenTest::close);
    assertThat(connections.chargedBytes()).isZero();
  }
}
