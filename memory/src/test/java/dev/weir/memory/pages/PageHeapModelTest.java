package dev.weir.memory.pages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.testing.SeededRuns;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Random operations on a page heap and on its naive model, compared as they go. */
class PageHeapModelTest {
  private static final int STEPS = 2_000;
  private static final int STEPS_PER_CHECK = 7;
  private static final int KINDS = 3;
  private static final long RESERVE_BYTES = 64 << 10;

  @Test
  void thePageHeapDoesWhatTheModelSays() {
    SeededRuns.forSeeds(getClass(), 25, PageHeapModelTest::run);
  }

  private record Run(int start, int pages) {}

  private static void run(SplittableRandom random) {
    long limitBytes = (1 + random.nextLong(3)) << 20;
    new Session(random, new PageModel(limitBytes, RESERVE_BYTES, KINDS)).run();
  }

  private static final class Session {
    private final SplittableRandom random;
    private final PageModel model;
    private final List<Run> runs = new ArrayList<>();
    private final List<TestSpan> spans = new ArrayList<>();
    private final List<Integer> promises = new ArrayList<>();

    Session(SplittableRandom random, PageModel model) {
      this.random = random;
      this.model = model;
    }

    void run() {
      for (int step = 0; step < STEPS; step++) {
        step();
        if (step % STEPS_PER_CHECK == 0) {
          model.check();
        }
      }
      runs.forEach(run -> model.freeRun(run.start, run.pages));
      spans.forEach(model::retire);
      promises.forEach(model::returnPromise);
      model.check();
      assertThat(model.liveBytes()).isZero();
      model.purgeDownTo(0);
      model.check();
      assertThat(model.os.residentBytes()).isZero();
      assertThat(model.heap.tryRetire()).isTrue();
      assertThat(model.heap.runs().allocate(model.heap.pageBytes())).isEqualTo(Runs.FULL);
    }

    private void step() {
      switch (random.nextInt(20)) {
        case 0, 1, 2, 3 -> allocate();
        case 4, 5, 6, 7, 8 -> free();
        case 9, 10 -> openSpan();
        case 11, 12, 13 -> commit();
        case 14, 15 -> retire();
        case 16 -> purgeInside();
        case 17 -> promise();
        case 18 -> usePromise();
        default -> purge();
      }
    }

    private void allocate() {
      int pages = 1 + random.nextInt(random.nextInt(10) == 0 ? 120 : 12);
      int start = model.allocateRun(pages);
      if (start >= 0) {
        runs.add(new Run(start, pages));
      }
    }

    private void free() {
      if (!runs.isEmpty()) {
        Run run = runs.remove(random.nextInt(runs.size()));
        model.freeRun(run.start, run.pages);
      }
    }

    private void openSpan() {
      SpanSize size = random.nextInt(4) == 0 ? SpanSize.LARGE : SpanSize.SMALL;
      if (spans.size() < 30) {
        spans.add(model.open(size, random.nextInt(KINDS)));
      }
    }

    private void commit() {
      if (!spans.isEmpty()) {
        TestSpan span = spans.get(random.nextInt(spans.size()));
        int spanPages = span.usablePages();
        int from = random.nextInt(spanPages);
        model.commit(span, from, from + 1 + random.nextInt(Math.min(8, spanPages - from)));
      }
    }

    private void retire() {
      if (!spans.isEmpty()) {
        model.retire(spans.remove(random.nextInt(spans.size())));
      }
    }

    private void purgeInside() {
      if (!spans.isEmpty()) {
        TestSpan span = spans.get(random.nextInt(spans.size()));
        PageSet free = new PageSet(span.committed());
        for (int page = 0; page < PageSet.MAX_PAGES; page++) {
          if (random.nextBoolean()) {
            free.remove(page, page + 1);
          }
        }
        model.purgeInside(span, free);
      }
    }

    private void promise() {
      int pages = 1 + random.nextInt(20);
      if (promises.size() < 3 && model.tryPromise(pages)) {
        promises.add(pages);
      }
    }

    private void usePromise() {
      if (!promises.isEmpty()) {
        int pages = promises.remove(promises.size() - 1);
        int used = random.nextInt(pages + 1);
        if (used > 0) {
          int start = model.allocatePromisedRun(used);
          assertThat(start).as("a promise is kept").isNotNegative();
          runs.add(new Run(start, used));
        }
        if (used < pages) {
          model.returnPromise(pages - used);
        }
      }
    }

    private void purge() {
      if (random.nextInt(3) == 0) {
        model.purgeDownTo(random.nextLong(1 << 20));
      } else {
        model.purgeAged();
      }
    }
  }
}
