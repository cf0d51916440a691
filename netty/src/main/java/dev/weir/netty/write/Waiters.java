package dev.weir.netty.write;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Those who wait for a gate to open, in a list through their places. Each comes and goes at the
 * same cost however many wait. Thread-safe.
 *
 * @param <T> who waits
 */
final class Waiters<T> {
  // Guarded by this.
  private @Nullable Place<T> first;
  private @Nullable Place<T> last;

  /** How often all were woken. */
  private long rounds;

  /** The place of one waiter, in one list. */
  static final class Place<T> {
    private final T waiter;

    /** Written by whoever has the list. */
    private volatile boolean waits;

    // Guarded by the list.
    private @Nullable Place<T> before;
    private @Nullable Place<T> behind;
    private long round;

    Place(T waiter) {
      this.waiter = waiter;
    }
  }

  /** Has somebody wait, who may do so already. */
  void add(Place<T> place) {
    // Whoever takes it out from now on wakes it, too.
    if (!place.waits) {
      append(place);
    }
  }

  private synchronized void append(Place<T> place) {
    if (place.waits) {
      return;
    }
    place.waits = true;
    place.round = rounds;
    Place<T> before = last;
    place.before = before;
    if (before == null) {
      first = place;
    } else {
      before.behind = place;
    }
    last = place;
  }

  /** Takes somebody out; of those who do so at once, one is told {@code true}. */
  synchronized boolean remove(Place<T> place) {
    if (!place.waits) {
      return false;
    }
    Place<T> before = place.before;
    Place<T> behind = place.behind;
    if (before == null) {
      first = behind;
    } else {
      before.behind = behind;
    }
    if (behind == null) {
      last = before;
    } else {
      behind.before = before;
    }
    place.before = null;
    place.behind = null;
    place.waits = false;
    return true;
  }

  /**
   * Takes out all who wait now, and wakes those that nobody else takes out meanwhile. Whoever comes
   * back from then on waits again: each is woken once, so this ends.
   */
  void wakeAll(Consumer<T> wake) {
    long round = nextRound();
    for (Place<T> next = takeFirst(round); next != null; next = takeFirst(round)) {
      wake.accept(next.waiter);
    }
  }

  private synchronized long nextRound() {
    return ++rounds;
  }

  /** Takes out who has come before a round and waits for the longest; null: nobody. */
  private synchronized @Nullable Place<T> takeFirst(long round) {
    Place<T> oldest = first;
    if (oldest == null || oldest.round >= round) {
      return null;
    }
    remove(oldest);
    return oldest;
  }
}
