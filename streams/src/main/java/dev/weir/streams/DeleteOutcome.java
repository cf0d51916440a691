package dev.weir.streams;

/** How a deletion ended, when the disk did not fail. */
public enum DeleteOutcome {
  DELETED,
  NOT_FOUND,
  /** Deleted before, and kept for its forks only. */
  GONE
}
