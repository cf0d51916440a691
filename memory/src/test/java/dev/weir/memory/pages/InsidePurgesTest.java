package dev.weir.memory.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import org.junit.jupiter.api.Test;

class InsidePurgesTest {
  private final InsidePurges purges = new InsidePurges();

  private PageSet announced() {
    PageSet pages = new PageSet();
    pages.add(1, 2);
    purges.announce(pages);
    return pages;
  }

  @Test
  void nothingIsUnderWayAtFirst() {
    assertThat(purges.haveEnded(purges.underWay())).isTrue();
  }

  @Test
  void onesThatWereAnnouncedLaterDoNotCountForEarlierOnes() {
    PageSet first = announced();
    Collection<PageSet> begun = purges.underWay();
    purges.ended(announced());
    assertThat(purges.haveEnded(begun)).isFalse();

    announced();
    purges.ended(first);
    assertThat(purges.haveEnded(begun)).isTrue();
    assertThat(purges.underWay()).hasSize(1);
  }
}
