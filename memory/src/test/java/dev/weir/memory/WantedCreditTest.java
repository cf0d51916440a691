package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.GrantLanes.Obstacle;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.RefusedCharge.Hope;
import dev.weir.memory.pages.Lane;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** For whom the credit of heaps is taken back, by what hope there is. */
class WantedCreditTest {
  private static final long BYTES = 1 << 20;
  private static final long LATER = 5;

  private final Budget root = Budget.root("root", () -> 1 << 30, 0, () -> 0);
  private final GrantLanes lanes = new GrantLanes();
  private final EndedGrants ended = new EndedGrants();
  private int takes;

  private WaitingGrant waits(Hope hope, long deadlineNanos) {
    WaitingGrant request = new WaitingGrant(BYTES, root.child("object", BYTES), deadlineNanos);
    lanes.add(request, lanes.tryServe(request, refusing(request, hope)));
    return request;
  }

  private void serve(WaitingGrant hopeful, Hope hope) {
    takes = 0;
    lanes.serve(LATER, refusing(hopeful, hope), false, false, ended);
  }

  /** No budget has room; taking back credit would help one request alone. */
  private GrantLanes.Room refusing(WaitingGrant hopeful, Hope hope) {
    return new GrantLanes.Room() {
      @Override
      public Obstacle take(WaitingGrant request, Lane lane) {
        takes++;
        request.hope = request.equals(hopeful) ? hope : Hope.NONE;
        return Obstacle.BUDGET;
      }

      @Override
      public boolean isHopeless(WaitingGrant request) {
        return false;
      }
    };
  }

  private @Nullable WaitingGrant ended() {
    return ended.poll();
  }

  @Test
  void oneThatIsOverdueWantsItForAnyHope() {
    WaitingGrant request = waits(Hope.NONE, LATER);

    serve(request, Hope.SLIGHT);
    assertThat(lanes.isCreditWanted()).isTrue();
    assertThat(ended()).isNull();

    serve(request, Hope.NONE);
    assertThat(lanes.isCreditWanted()).isFalse();
    assertThat(ended()).isSameAs(request);
  }

  @Test
  void oneThatCanWaitWantsItForGoodHopeAlone() {
    WaitingGrant request = waits(Hope.NONE, 2 * LATER);

    serve(request, Hope.SLIGHT);
    assertThat(lanes.isCreditWanted()).isFalse();

    serve(request, Hope.GOOD);
    assertThat(lanes.isCreditWanted()).isTrue();
    assertThat(ended()).isNull();
  }

  @Test
  void oneThatIsOverdueWantsItForTheHopeOfThoseBeforeIt() {
    WaitingGrant first = waits(Hope.NONE, 2 * LATER);
    WaitingGrant second = new WaitingGrant(BYTES, first.budget, LATER);
    lanes.add(second, Obstacle.OTHERS);

    serve(first, Hope.SLIGHT);

    assertThat(lanes.isCreditWanted()).isTrue();
    assertThat(ended()).isNull();
    serve(first, Hope.NONE);
    assertThat(ended()).isSameAs(second);
  }

  @Test
  void behindOneThatWantsItNobodyIsServed() {
    WaitingGrant first = waits(Hope.NONE, 2 * LATER);
    waits(Hope.NONE, LATER);

    serve(first, Hope.GOOD);

    assertThat(takes).isEqualTo(1);
    assertThat(ended()).isNull();
  }

  @Test
  void nobodyComesBetweenTheTwoLooks() {
    WaitingGrant first = waits(Hope.NONE, 2 * LATER);
    WaitingGrant second = waits(Hope.NONE, 2 * LATER);
    serve(first, Hope.GOOD);
    WaitingGrant late = new WaitingGrant(BYTES, second.budget, 0);
    GrantLanes.Room room = refusing(late, Hope.NONE);
    takes = 0;

    assertThat(lanes.tryServe(late, room)).isEqualTo(Obstacle.OTHERS);
    assertThat(takes).isZero();

    lanes.doWithoutCredit();
    assertThat(lanes.tryServe(late, room)).isEqualTo(Obstacle.BUDGET);
  }

  @Test
  void oneThatIsOverdueForALimitWantsNoCredit() {
    WaitingGrant first = waits(Hope.NONE, 2 * LATER);
    WaitingGrant second = new WaitingGrant(BYTES, root.child("another", BYTES), LATER);
    lanes.add(second, Obstacle.BUDGET);

    serve(first, Hope.SLIGHT);

    assertThat(lanes.isCreditWanted()).isFalse();
    assertThat(ended()).isSameAs(second);
  }
}
