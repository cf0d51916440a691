package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.GrantLanes.Obstacle;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.pages.Lane;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** How little is done for those who wait, where there are many. */
class ManyWaitingGrantsTest {
  private static final int MANY = 100;

  private final Budget root = Budget.root("root", () -> 1 << 30, 0, () -> 0);
  private final GrantLanes lanes = new GrantLanes();
  private final Resources room = new Resources();
  private final EndedGrants ended = new EndedGrants();

  private static final class Resources implements GrantLanes.Room {
    Obstacle obstacle = Obstacle.PAGES;
    int takes;
    int checks;

    @Override
    public Obstacle take(WaitingGrant request, Lane lane) {
      takes++;
      return obstacle;
    }

    @Override
    public boolean isHopeless(WaitingGrant request) {
      checks++;
      return true;
    }
  }

  private List<WaitingGrant> waiting(long deadlineNanos) {
    List<WaitingGrant> requests = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      WaitingGrant request = new WaitingGrant(1 << 20, root, deadlineNanos + i);
      Obstacle obstacle = lanes.tryServe(request, room);
      assertThat(obstacle).isNotEqualTo(Obstacle.NOTHING);
      lanes.add(request, obstacle);
      requests.add(request);
    }
    room.takes = 0;
    return requests;
  }

  private long serve(long nowNanos, boolean limitsMoved, boolean withdrawn) {
    return lanes.serve(nowNanos, room, limitsMoved, withdrawn, ended);
  }

  private int endedCount() {
    int count = 0;
    while (ended.poll() != null) {
      count++;
    }
    return count;
  }

  @Test
  void behindOneThatWaitsForPagesNobodyIsLookedAt() {
    waiting(1_000);

    assertThat(serve(0, false, false)).isEqualTo(1_000);

    assertThat(room.takes).isEqualTo(1);
    assertThat(room.checks).isZero();
    assertThat(lanes.size()).isEqualTo(MANY);
  }

  @Test
  void grantsThatAreOverdueWithdrawnOrHopelessAreFound() {
    List<WaitingGrant> requests = waiting(1_000);
    assertThat(serve(1_009, false, false)).isEqualTo(1);
    assertThat(endedCount()).isEqualTo(10);

    requests.get(50).future.cancel(false);
    assertThat(serve(1_009, false, true)).isEqualTo(1);
    assertThat(endedCount()).isEqualTo(1);

    assertThat(serve(1_009, true, false)).isEqualTo(Long.MAX_VALUE);
    assertThat(endedCount()).isEqualTo(MANY - 11);
    assertThat(room.checks).isEqualTo(MANY - 11);
  }

  @Test
  void allAreServedOnceThereIsRoom() {
    waiting(1_000);
    room.obstacle = Obstacle.NOTHING;

    assertThat(serve(0, false, false)).isEqualTo(Long.MAX_VALUE);

    assertThat(endedCount()).isEqualTo(MANY);
    assertThat(lanes.size()).isZero();
  }

  /** Of each budget one is looked at for what would help it, however many budgets are full. */
  @Test
  void theFirstOfEachFullBudgetHasItsTurn() {
    room.obstacle = Obstacle.BUDGET;
    Set<WaitingGrant> missing = new HashSet<>();
    for (int i = 0; i < MANY; i++) {
      Budget object = root.child("object", 1 << 20);
      WaitingGrant request = new WaitingGrant(1 << 20, object, 1_000);
      Obstacle obstacle = lanes.tryServe(request, room);
      assertThat(obstacle).isNotEqualTo(Obstacle.NOTHING);
      lanes.add(request, obstacle);
      missing.add(request);
    }

    for (int serves = 0; serves <= MANY / 16; serves++) {
      lanes.lookedAt().forEach(missing::remove);
      serve(0, false, false);
    }

    assertThat(missing).isEmpty();
  }
}
