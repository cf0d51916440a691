package dev.weir.memory.pages;

/**
 * The two sizes of span. A span of each size holds at least eight of the largest slots cut from it,
 * and spans of one size lie in a region of their own, where any free span is as good as any other:
 * no external fragmentation.
 */
public enum SpanSize {
  /** 256 KiB, for slots of up to 4 KiB. */
  SMALL(256 * 1024),
  /** 512 KiB, for slots of more than 4 KiB, up to 64 KiB. */
  LARGE(512 * 1024);

  private final int bytes;

  SpanSize(int bytes) {
    this.bytes = bytes;
  }

  /** Who opens spans of this size: only slots of small spans may use the small reserve. */
  Lane lane() {
    return this == SMALL ? Lane.SMALL : Lane.LARGE;
  }

  /** The length of a span in bytes; spans are aligned to it. */
  public int bytes() {
    return bytes;
  }
}
