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
    region.park(b);
    region.park(a);
    region.park(c);

    assertThat(region.oldestParked()).isSameAs(b);
    assertThat(region.newestParked(0)).isSameAs(c);
    assertThat(region.newestParked(1)).isSameAs(b);
    assertThat(region.newestParked(2)).isNull();
    assertThat(region.parkedBytes()).isEqualTo(16_384);

    region.unpark(c);
    region.unpark(b);

    assertThat(region.newestParked(0)).isSameAs(a);
    assertThat(region.newestParked(1)).isNull();
    assertThat(region.oldestParked()).isSameAs(a);
    assertThat(region.parkedBytes()).isEqualTo(4096);
    assertThat(b.isOpen()).isTrue();
    assertThat(a.isOpen()).isFalse();
  }

  @Test
  void aSpanCannotBeParkedTwice() {
    Span span = opened(0, 4096);
    region.park(span);

    assertThatThrownBy(() -> region.park(span)).isInstanceOf(IllegalStateException.class);
    assertThat(region.parkedBytes()).isEqualTo(4096);
  }

  @Test
  void aFreshSpanTakesTheVictimsPages() {
    Span victim = opened(0, 12_288);
    region.park(victim);
    Span fresh = new TestSpan(SpanSize.SMALL, 2);
    region.replaceParked(victim, fresh);

    assertThat(fresh.address()).isEqualTo(victim.address());
    assertThat(fresh.committedBytes()).isEqualTo(12_288);
    assertThat(region.parkedBytes()).isZero();
    assertThat(region.extent()).isEqualTo(1);
    assertThat(region.at(0)).isSameAs(fresh);
  }

  @Test
  void agingEndsTheYouthOfAllThatAreParked() {
    Span a = opened(0, 4096);
    Span b = opened(0, 4096);
    region.park(a);
    region.age();
    region.park(b);

    assertThat(a.young).isFalse();
    assertThat(b.young).isTrue();
    region.age();
    assertThat(b.young).isFalse();
  }
}
