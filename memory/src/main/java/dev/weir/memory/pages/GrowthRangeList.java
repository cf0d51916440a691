package dev.weir.memory.pages;

import org.jspecify.annotations.Nullable;

/**
 * A list in which a range has a {@link Place} of its own, so that coming and going needs nothing
 * from the Java heap: releases do both, and must not fail. Not thread-safe.
 */
final class GrowthRangeList {
  /** Where a range stands in one list, if it does. */
  static final class Place {
    final GrowthRange range;
    private @Nullable Place previous;
    private @Nullable Place next;
    private boolean listed;

    Place(GrowthRange range) {
      this.range = range;
    }

    /** Whether the range is in the list that this place is for. */
    boolean isListed() {
      return listed;
    }

    /** The one behind it; null if it is the last. */
    @Nullable Place next() {
      return next;
    }
  }

  private @Nullable Place first;
  private @Nullable Place last;
  private int size;

  @Nullable Place first() {
    return first;
  }

  int size() {
    return size;
  }

  /** Adds a range that is not listed, in front of all others. */
  void addFirst(Place place) {
    add(place, null, first);
  }

  /** Adds a range that is not listed, behind all others. */
  void addLast(Place place) {
    add(place, last, null);
  }

  private void add(Place place, @Nullable Place previous, @Nullable Place next) {
    if (place.listed) {
      throw new IllegalStateException("listed already");
    }
    place.listed = true;
    place.previous = previous;
    place.next = next;
    link(previous, place);
    link(place, next);
    if (previous == null) {
      first = place;
    }
    if (next == null) {
      last = place;
    }
    size++;
  }

  private static void link(@Nullable Place before, @Nullable Place after) {
    if (before != null) {
      before.next = after;
    }
    if (after != null) {
      after.previous = before;
    }
  }

  /** Takes a range out; returns whether it was listed. */
  @SuppressWarnings("ReferenceEquality") // a place is its identity
  boolean remove(Place place) {
    if (!place.listed) {
      return false;
    }
    link(place.previous, place.next);
    if (place == first) {
      first = place.next;
    }
    if (place == last) {
      last = place.previous;
    }
    place.previous = null;
    place.next = null;
    place.listed = false;
    size--;
    return true;
  }
}
