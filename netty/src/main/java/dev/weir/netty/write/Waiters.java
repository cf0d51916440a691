package dev.weir.netty.write;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Those who wait for a gate to open, in no order, since all are woken. Each comes and goes at the
 * same cost however many wait. Thread-safe.
 *
 * @param <T> who waits; compared by identity, or by an {@code equals} that comes to the same
 */
final class Waiters<T> {
  private final Set<T> waiting = ConcurrentHashMap.newKeySet();

  /** Has somebody wait, who may do so already. */
  void add(T waiter) {
    waiting.add(waiter);
  }

  /** Takes somebody out; of those who do so at once, one is told {@code true}. */
  boolean remove(T waiter) {
    return waiting.remove(waiter);
  }

  /**
   * Takes out all who wait now, and wakes those that nobody else takes out meanwhile. Whoever comes
   * back from then on waits again: each is woken once, so this ends.
   */
  void wakeAll(Consumer<T> wake) {
    for (T waiter : List.copyOf(waiting)) {
      if (waiting.remove(waiter)) {
        wake.accept(waiter);
      }
    }
  }
}
