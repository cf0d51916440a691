package dev.weir.streams.layout;

import java.io.IOException;

/** A stored object is not what was written. The message names the object and where it is wrong. */
public final class DamagedObjectException extends IOException {
  private static final long serialVersionUID = 1L;

  private final String key;
  private final long offset;

  /**
   * Of one object.
   *
   * @param offset the first byte that may be wrong; 0 where the whole object is
   */
  public DamagedObjectException(String key, long offset, String reason) {
    super("%s is damaged at byte %d: %s".formatted(key, offset, reason));
    this.key = key;
    this.offset = offset;
  }

  /** The object. */
  public String key() {
    return key;
  }

  /** The first byte that may be wrong. */
  public long offset() {
    return offset;
  }
}
