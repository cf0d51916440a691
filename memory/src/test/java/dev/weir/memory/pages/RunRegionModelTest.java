package dev.weir.memory.pages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.testing.SeededRuns;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A region beside an array that has a word for each page, with many purges under way. */
class RunRegionModelTest {
  private static final int PAGES = 900;

  /** More than the region keeps among its free runs. */
  private static final int MAX_CLAIMS = FreeClaims.CAPACITY * 3 / 2;

  private enum Page {
    LIVE,
    CLEAN,
    DIRTY,
    CLAIMED
  }

  private record Range(int start, int pages) {}

  @Test
  void whatIsClaimedIsNobodysUntilItIsPutBack() {
    AtomicInteger mostClaims = new AtomicInteger();
    SeededRuns.forSeeds(
        getClass(),
        30,
        random -> {
          Run run = new Run(random);
          for (int step = 0; step < 4_000; step++) {
            run.step(step / 1_000 % 2 == 0);
            mostClaims.accumulateAndGet(run.claims.size(), Math::max);
            if (step % 50 == 0) {
              run.compare();
            }
          }
        });
    assertThat(mostClaims).hasValueGreaterThan(FreeClaims.CAPACITY);
  }

  private static final class Run {
    private final SplittableRandom random;
    private final RunRegion region = new RunRegion(PAGES);
    private final Page[] model = new Page[PAGES];
    private final List<Range> live = new ArrayList<>();
    private final List<Range> claims = new ArrayList<>();

    Run(SplittableRandom random) {
      this.random = random;
      Arrays.fill(model, Page.CLEAN);
    }

    void step(boolean manyClaims) {
      switch (random.nextInt(manyClaims ? 5 : 4)) {
        case 0, 1 -> take(1 + random.nextInt(12));
        case 2 -> give();
        case 3 -> putBack();
        default -> {
          claim(1 + random.nextInt(6));
          claim(1 + random.nextInt(6));
        }
      }
    }

    private void take(int pages) {
      int expected = lowest(pages);
      long start = region.firstFit(pages);
      assertThat(start).isEqualTo(expected < 0 ? RunRegion.NONE : expected);
      if (start != RunRegion.NONE) {
        assertThat(region.take(start, pages)).isEqualTo(count(expected, pages, Page.DIRTY));
        fill(expected, pages, Page.LIVE);
        live.add(new Range(expected, pages));
      }
    }

    /** The start of the first stretch of so many free pages. */
    private int lowest(int pages) {
      int length = 0;
      for (int page = 0; page < PAGES; page++) {
        boolean free = model[page] == Page.CLEAN || model[page] == Page.DIRTY;
        length = free ? length + 1 : 0;
        if (length == pages) {
          return page - pages + 1;
        }
      }
      return -1;
    }

    private void give() {
      if (!live.isEmpty()) {
        Range range = live.remove(random.nextInt(live.size()));
        region.giveDirty(range.start(), range.pages());
        fill(range.start(), range.pages(), Page.DIRTY);
      }
    }

    private void claim(int pages) {
      long start =
          claims.size() == MAX_CLAIMS ? RunRegion.NONE : region.nextToPurge(pages, () -> false);
      if (start != RunRegion.NONE) {
        int length = (int) region.foundPages();
        assertThat(count((int) start, length, Page.DIRTY)).isEqualTo(length);
        region.claim(start, length);
        fill((int) start, length, Page.CLAIMED);
        claims.add(new Range((int) start, length));
      }
    }

    private void putBack() {
      if (!claims.isEmpty()) {
        Range range = claims.remove(random.nextInt(claims.size()));
        boolean clean = random.nextInt(4) > 0;
        region.putBack(range.start(), range.pages(), clean);
        fill(range.start(), range.pages(), clean ? Page.CLEAN : Page.DIRTY);
      }
    }

    void compare() {
      region.checkInvariants();
      long livePages = count(0, PAGES, Page.LIVE);
      assertThat(region.freePages() + region.cutPages()).isEqualTo(PAGES - livePages);
      assertThat(region.dirtyPages()).isEqualTo(count(0, PAGES, Page.DIRTY));
      long[] dirty = new long[PageBits.CHUNK_WORDS];
      region.copyDirtyChunk(0, dirty);
      for (int page = 0; page < PAGES; page++) {
        boolean found = (dirty[page / Long.SIZE] & 1L << page) != 0;
        long run = region.freeRunFrom(page);
        boolean isFree = run != RunRegion.NONE && run <= page;
        if (model[page] == Page.CLAIMED) {
          assertThat(found).as("page %d is claimed, and free: %s", page, isFree).isEqualTo(isFree);
        } else {
          assertThat(found).as("page %d", page).isEqualTo(model[page] == Page.DIRTY);
        }
      }
    }

    private void fill(int start, int pages, Page state) {
      Arrays.fill(model, start, start + pages, state);
    }

    private long count(int start, int pages, Page state) {
      return Arrays.stream(model, start, start + pages).filter(page -> page == state).count();
    }
  }
}
