package dev.weir.memory.pages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.pages.InsidePurges.Announced;
import org.junit.jupiter.api.Test;

class InsidePurgesTest {
  private final InsidePurges purges = new InsidePurges();

  private Announced announced() {
    Announced purge = new Announced();
    purges.announce(purge);
    return purge;
  }

  @Test
  void nothingIsUnderWayAtFirst() {
    assertThat(purges.haveEnded(purges.announced())).isTrue();
  }

  @Test
  void onesThatWereAnnouncedLaterDoNotCountForEarlierOnes() {
    Announced first = announced();
    long begun = purges.announced();
    announced().end();
    assertThat(purges.haveEnded(begun)).isFalse();

    announced();
    first.end();
    assertThat(purges.haveEnded(begun)).isTrue();
    assertThat(purges.haveEnded(purges.announced())).isFalse();
  }

  @Test
  void oneThatEndsBeforeAnOlderOneIsWaitedForNoMore() {
    Announced first = announced();
    Announced second = announced();
    long begun = purges.announced();
    second.end();
    assertThat(purges.haveEnded(begun)).isFalse();
    first.end();
    assertThat(purges.haveEnded(begun)).isTrue();
  }
}
