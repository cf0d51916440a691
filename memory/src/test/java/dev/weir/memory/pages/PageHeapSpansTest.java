package dev.weir.memory.pages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.testing.PageHeaps;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Spans that come and go, and the list of all, which is copied step by step. */
class PageHeapSpansTest {
  private static final int SPANS = 5_000;
  private static final int PAGE_BYTES = 4096;

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

  /** Its pages would take up the room in which another could hold something. */
  @Test
  void aRetiredSpanIsLeftAloneWhereThereIsNoRoomForItsFirstPageBesideThoseThatItHas() {
    int limitPages = 256;
    PageHeap full = PageHeaps.over(new FakeNativeMemory(), (long) limitPages * PAGE_BYTES);
    Span retired = new TestSpan(SpanSize.SMALL, 0);
    assertThat(full.open(retired)).isTrue();
    assertThat(full.commit(retired, 5, 7)).isTrue();
    full.retire(retired);
    long run = full.runs().allocate((long) (limitPages - 2) * PAGE_BYTES);
    assertThat(run).isNotEqualTo(Runs.FULL);

    assertThat(full.takeRetired(SpanSize.SMALL, 0)).isNull();
    Span other = new TestSpan(SpanSize.SMALL, 0);
    assertThat(full.open(other)).isTrue();
    assertThat(full.dirtyPurges().makeRoom(PAGE_BYTES, Lane.SMALL)).isTrue();
    assertThat(full.commit(other, 0, 1)).isTrue();
    full.checkInvariants();
  }

  @Test
  void aRetiredSpanComesBackWhereThereIsRoomForItsFirstPage() {
    Span retired = new TestSpan(SpanSize.SMALL, 0);
    assertThat(pages.open(retired)).isTrue();
    assertThat(pages.commit(retired, 5, 7)).isTrue();
    pages.retire(retired);
    assertThat(pages.takeRetired(SpanSize.SMALL, 0)).isSameAs(retired);
  }
}
