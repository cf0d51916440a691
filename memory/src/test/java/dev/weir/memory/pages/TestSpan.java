package dev.weir.memory.pages;

/** A span without anything on it. The higher its kind, the fewer of its pages are usable. */
final class TestSpan extends Span {
  TestSpan(SpanSize size, int kind) {
    super(size, kind, usablePages(size, kind) * 4096, /* firstBytes= */ 4096);
  }

  /** It holds something once its first page is live. */
  @Override
  protected boolean isReady() {
    return committed().containsAll(0, 1);
  }

  int usablePages() {
    return usablePages(size(), kind());
  }

  private static int usablePages(SpanSize size, int kind) {
    return size.bytes() / 4096 - 3 * kind;
  }

  @Override
  public String toString() {
    return "%s span of kind %d at 0x%x + %d".formatted(size(), kind(), address(), committedBytes());
  }
}
