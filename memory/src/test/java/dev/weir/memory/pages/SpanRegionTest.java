package dev.weir.memory.pages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SpanRegionTest {
  private static final long BASE = 1L << 30;
  private static final int CAPACITY = 40;

  private final SpanRegion region = new SpanRegion(SpanSize.SMALL, BASE, CAPACITY, 3);

  @AfterEach
  void invariantsHold() {
    region.checkInvariants();
  }

  private Span opened(int kind, int committedBytes) {
    Span span = new TestSpan(SpanSize.SMALL, kind);
    assertThat(region.open(span)).isTrue();
    span.commit(0, committedBytes / 4096, 4096);
    return span;
  }

  @Test
  void everySpanHasAnAddressOfItsOwnUntilAllAreTaken() {
    Set<Long> addresses = new HashSet<>();
    for (int i = 0; i < CAPACITY; i++) {
      Span span = opened(0, 0);
      assertThat((span.address() - BASE) % SpanSize.SMALL.bytes()).isZero();
      assertThat(span.address()).isBetween(BASE, BASE + (CAPACITY - 1L) * SpanSize.SMALL.bytes());
      addresses.add(span.address());
    }

    assertThat(addresses).hasSize(CAPACITY);
    assertThat(region.open(new TestSpan(SpanSize.SMALL, 0))).isFalse();
  }

  @Test
  void aClosedAddressIsUsedAgain() {
    Span first = opened(0, 0);
    opened(0, 0);
    region.close(first);

    assertThat(opened(1, 0).address()).isEqualTo(first.address());
  }

  @Test
  void onlyTheSpanThatIsThereCanBeClosed() {
    Span first = opened(0, 0);
    region.close(first);

    assertThatThrownBy(() -> region.close(first)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void theNewestOfAKindAndTheOldestOfAllAreAtHand() {
    Span a = opened(0, 4096);
    Span b = opened(1, 8192);
    Span c = opened(0, 4096);
    region.retire(b);
    region.retire(a);
    region.retire(c);

    assertThat(region.oldestRetired()).isSameAs(b);
    assertThat(region.newestRetired(0)).isSameAs(c);
    assertThat(region.newestRetired(1)).isSameAs(b);
    assertThat(region.newestRetired(2)).isNull();
    assertThat(region.retiredBytes()).isEqualTo(16_384);

    region.unretire(c);
    region.unretire(b);

    assertThat(region.newestRetired(0)).isSameAs(a);
    assertThat(region.newestRetired(1)).isNull();
    assertThat(region.oldestRetired()).isSameAs(a);
    assertThat(region.retiredBytes()).isEqualTo(4096);
    assertThat(b.isOpen()).isTrue();
    assertThat(a.isOpen()).isFalse();
  }

  @Test
  void aSpanCannotBeRetiredTwice() {
    Span span = opened(0, 4096);
    region.retire(span);

    assertThatThrownBy(() -> region.retire(span)).isInstanceOf(IllegalStateException.class);
    assertThat(region.retiredBytes()).isEqualTo(4096);
  }

  @Test
  void aFreshSpanTakesTheVictimsPages() {
    Span victim = opened(0, 12_288);
    region.retire(victim);
    Span fresh = new TestSpan(SpanSize.SMALL, 2);
    region.replaceRetired(victim, fresh);

    assertThat(fresh.address()).isEqualTo(victim.address());
    assertThat(fresh.committedBytes()).isEqualTo(12_288);
    assertThat(region.retiredBytes()).isZero();
    assertThat(region.extent()).isEqualTo(1);
    assertThat(region.at(0)).isSameAs(fresh);
  }

  @Test
  void agingEndsTheYouthOfAllThatAreRetired() {
    Span a = opened(0, 4096);
    Span b = opened(0, 4096);
    region.retire(a);
    region.age();
    region.retire(b);

    assertThat(a.young).isFalse();
    assertThat(b.young).isTrue();
    region.age();
    assertThat(b.young).isFalse();
  }
}
