package dev.weir.lab.slowclients;

import java.util.Locale;

/** What the slow clients do. */
enum Direction {
  /** They send bodies, which the server holds whole. */
  UPLOADS,
  /** They take bodies. */
  DOWNLOADS,
  /** As many of each, all at once. */
  BOTH;

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Finds one by its label.
   *
   * @throws IllegalArgumentException if there is none
   */
  static Direction of(String label) {
    for (Direction direction : values()) {
      if (direction.label().equals(label)) {
        return direction;
      }
    }
    throw new IllegalArgumentException(
        "no direction '%s'; there are uploads, downloads, both".formatted(label));
  }

  boolean uploads() {
    return this != DOWNLOADS;
  }

  boolean downloads() {
    return this != UPLOADS;
  }
}
