package dev.weir.netty.write;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.write.Waiters.Place;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WaitersTest {
  private final Waiters<Integer> waiters = new Waiters<>();
  private final List<Integer> woken = new ArrayList<>();

  @Test
  void allAreWokenOnceAndThoseThatHaveGoneAreNot() {
    List<Place<Integer>> all = add(100);
    all.forEach(waiters::add);
    for (int gone : new int[] {0, 7, 99}) {
      assertThat(waiters.remove(all.get(gone))).isTrue();
      assertThat(waiters.remove(all.get(gone))).isFalse();
    }
    waiters.wakeAll(woken::add);
    Set<Integer> expected = new HashSet<>();
    for (int i = 1; i < 99; i++) {
      expected.add(i);
    }
    expected.remove(7);
    assertThat(woken).hasSize(97);
    assertThat(new HashSet<>(woken)).isEqualTo(expected);
    waiters.wakeAll(woken::add);
    assertThat(woken).hasSize(97);
  }

  @Test
  void whoWaitsAgainWhileAllAreWokenWaitsForTheNextTime() {
    List<Place<Integer>> all = add(10);
    for (int time = 1; time <= 3; time++) {
      waiters.wakeAll(waiter -> {
        woken.add(waiter);
        assertThat(woken.size()).as("wakes").isLessThan(100);
        waiters.add(all.get(waiter));
      });
      assertThat(woken).hasSize(10 * time);
    }
    assertThat(all).allMatch(waiters::remove);
    waiters.wakeAll(woken::add);
    assertThat(woken).hasSize(30);
  }

  @Test
  void whoGoesWhileAllAreWokenIsNotWoken() {
    List<Place<Integer>> all = add(10);
    waiters.wakeAll(waiter -> {
      woken.add(waiter);
      assertThat(waiters.remove(all.get(waiter))).isFalse();
      all.forEach(waiters::remove);
    });
    assertThat(woken).hasSize(1);
  }

  @Test
  void whoWaitsWhileAllAreWokenWithinIsWokenOnce() {
    add(10);
    waiters.wakeAll(waiter -> {
      woken.add(waiter);
      waiters.wakeAll(woken::add);
    });
    assertThat(woken).hasSize(10).doesNotHaveDuplicates();
  }

  private List<Place<Integer>> add(int count) {
    List<Place<Integer>> added = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Place<Integer> place = new Place<>(i);
      added.add(place);
      waiters.add(place);
    }
    return added;
  }
}
