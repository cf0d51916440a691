package dev.weir.memory.pages;

/** Who may use the small reserve. */
public enum Lane {
  /** Blocks of at most 4 KiB: the reserve is theirs, so that a server can always say "no". */
  SMALL,
  /** Everything else leaves the reserve alone. */
  LARGE
}
