package dev.weir.memory.pages;

/** A span without anything on it. */
final class TestSpan extends Span {
  TestSpan(SpanSize size, int kind) {
    super(size, kind);
  }

  @Override
  public String toString() {
    return "%s span of kind %d at 0x%x + %d".formatted(size(), kind(), address(), committedBytes());
  }
}
