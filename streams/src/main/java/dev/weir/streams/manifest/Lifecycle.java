package dev.weir.streams.manifest;

import org.jspecify.annotations.Nullable;

/** What a commit says of a stream's end. */
public enum Lifecycle {
  /** Nothing: it stays what it was. */
  UNCHANGED(0),
  /** Deleted by its owner, and kept since forks read its bytes. */
  SOFT_DELETED(1),
  /** Gone. */
  REMOVED(2);

  private final int code;

  Lifecycle(int code) {
    this.code = code;
  }

  /** How it is stored. */
  int code() {
    return code;
  }

  /** The one that is stored so; null where there is none. */
  static @Nullable Lifecycle of(int code) {
    for (Lifecycle lifecycle : values()) {
      if (lifecycle.code == code) {
        return lifecycle;
      }
    }
    return null;
  }
}
