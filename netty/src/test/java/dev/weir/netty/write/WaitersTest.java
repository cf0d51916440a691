package dev.weir.netty.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WaitersTest {
  private final Waiters<Waiter> waiters = new Waiters<>();
  private int comparisons;

  private final class Waiter {
    private final int number;

    Waiter(int number) {
      this.number = number;
    }

    @Override
    public boolean equals(Object other) {
      comparisons++;
      return this == other;
    }

    @Override
    public int hashCode() {
      return number;
    }
  }

  @Test
  void allAreWokenOnceAndThoseThatHaveGoneAreNot() {
    List<Waiter> all = add(100);
    all.forEach(waiters::add);
    assertThat(waiters.remove(all.get(7))).isTrue();
    assertThat(waiters.remove(all.get(7))).isFalse();
    List<Waiter> woken = new ArrayList<>();
    waiters.wakeAll(woken::add);
    Set<Waiter> expected = new HashSet<>(all);
    expected.remove(all.get(7));
    assertThat(woken).hasSize(99);
    assertThat(new HashSet<>(woken)).isEqualTo(expected);
    waiters.wakeAll(woken::add);
    assertThat(woken).hasSize(99);
  }

  /** Two of them share a bucket, so that who comes back is behind the other. */
  @Test
  void whoWaitsAgainWhileAllAreWokenWaitsForTheNextTime() {
    List<Waiter> all = add(8);
    all.addAll(add(2));
    List<Waiter> woken = new ArrayList<>();
    for (int time = 1; time <= 3; time++) {
      waiters.wakeAll(waiter -> {
        woken.add(waiter);
        assertThat(woken.size()).as("wakes").isLessThan(100);
        waiters.add(waiter);
      });
      assertThat(woken).hasSize(10 * time);
    }
    assertThat(all).allMatch(waiters::remove);
    waiters.wakeAll(woken::add);
    assertThat(woken).hasSize(30);
  }

  /** Channels that go while thousands wait are not looked for among them. */
  @Test
  void whoGoesIsComparedWithFew() {
    List<Waiter> all = add(10_000);
    Collections.shuffle(all, new Random(1));
    comparisons = 0;
    for (Waiter waiter : all) {
      assertThat(waiters.remove(waiter)).isTrue();
    }
    assertThat(comparisons).isLessThanOrEqualTo(2 * all.size());
    List<Waiter> woken = new ArrayList<>();
    waiters.wakeAll(woken::add);
    assertThat(woken).isEmpty();
  }

  private List<Waiter> add(int count) {
    List<Waiter> added = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Waiter waiter = new Waiter(i);
      added.add(waiter);
      waiters.add(waiter);
    }
    return added;
  }
}
