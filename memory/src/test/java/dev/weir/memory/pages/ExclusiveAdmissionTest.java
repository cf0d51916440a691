package dev.weir.memory.pages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.testing.PageHeaps;
import dev.weir.memory.testing.Workers;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A heap that is full but for dirty pages: one thread gathers some of them, another wants some. */
class ExclusiveAdmissionTest {
  private static final long LIMIT_BYTES = 8 << 20;
  private static final long DIRTY_BYTES = 2 << 20;
  private static final int PAGE_BYTES = 4096;

  private final PageHeap pages = PageHeaps.over(new FakeNativeMemory(), LIMIT_BYTES);
  private final Span span = new TestSpan(SpanSize.SMALL, 0);
  private final Span others = new TestSpan(SpanSize.SMALL, 0);

  @BeforeEach
  void fill() {
    assertThat(pages.open(span)).isTrue();
    assertThat(pages.open(others)).isTrue();
    assertThat(pages.runs().allocate(LIMIT_BYTES - DIRTY_BYTES)).isNotEqualTo(Runs.FULL);
    pages.runs().free(pages.runs().allocate(DIRTY_BYTES), DIRTY_BYTES, Lane.LARGE);
    assertThat(pages.totals().residentBytes()).isEqualTo(LIMIT_BYTES);
    assertThat(pages.totals().dirtyBytes()).isEqualTo(DIRTY_BYTES);
  }

  @Test
  void whatWasPurgedForARequestIsNotForOthers() throws InterruptedException {
    pages.exclusiveAdmission().begin(2 * PAGE_BYTES);
    assertThat(pages.dirtyPurges().makeRoom(2 * PAGE_BYTES, Lane.SMALL)).isTrue();
    inAnotherThread(() -> {
      assertThat(pages.commit(others, 0, 1)).as("before its own purge").isFalse();
      assertThat(pages.dirtyPurges().makeRoom(PAGE_BYTES, Lane.SMALL)).isTrue();
      assertThat(pages.commit(others, 0, 1)).isTrue();
    });
    assertThat(pages.commit(span, 0, 2)).isTrue();
    pages.exclusiveAdmission().end();
    assertThat(pages.totals().dirtyBytes()).isEqualTo(DIRTY_BYTES - 3 * PAGE_BYTES);
  }

  @Test
  void whatWasPurgedAndNotNeededIsForAnybody() throws InterruptedException {
    pages.exclusiveAdmission().begin(2 * PAGE_BYTES);
    assertThat(pages.dirtyPurges().makeRoom(2 * PAGE_BYTES, Lane.SMALL)).isTrue();
    pages.exclusiveAdmission().end();
    inAnotherThread(() -> assertThat(pages.commit(others, 0, 2)).isTrue());
  }

  private static void inAnotherThread(Workers.Work work) throws InterruptedException {
    Workers another = new Workers();
    another.platform(work);
    another.join();
  }
}
