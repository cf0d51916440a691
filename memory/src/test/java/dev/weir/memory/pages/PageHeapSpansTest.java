package dev.weir.memory.pages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.heap.PageHeaps;
import dev.weir.memory.os.FakeNativeMemory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The list of all spans, which is copied step by step. */
class PageHeapSpansTest {
  private static final int SPANS = 5_000;

  private final PageHeap pages = PageHeaps.over(new FakeNativeMemory(), 4L << 30);

  @Test
  void everySpanIsInItOnceAtItsPlace() {
    List<Span> opened = new ArrayList<>();
    for (int i = 0; i < SPANS; i++) {
      Span span = new TestSpan(SpanSize.SMALL, 0);
      assertThat(pages.open(span)).isTrue();
      opened.add(span);
    }
    assertThat(pages.spans(SpanSize.SMALL)).containsExactlyElementsOf(opened);
    assertThat(pages.spans(SpanSize.LARGE)).isEmpty();
    pages.checkInvariants();
  }
}
