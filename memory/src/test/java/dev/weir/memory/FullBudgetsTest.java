package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.os.FakeNativeMemory;
import dev.weir.memory.pages.Lane;
import dev.weir.memory.pages.PageHeap;
import dev.weir.memory.testing.PageHeaps;
import org.junit.jupiter.api.Test;

/** Which budget the one that waits is waiting for, whatever becomes free meanwhile. */
class FullBudgetsTest {
  private static final int MIB = 1 << 20;

  private final PageHeap pages = PageHeaps.over(new FakeNativeMemory(), 32 * MIB);
  private final Budget root = Budget.root("root", () -> 32 * MIB, 0, () -> 0);
  private final Budget factory = root.child("factory", 8 * MIB);
  private final Budget one = factory.child("one", 4 * MIB);
  private final Budget two = factory.child("two", Budget.UNLIMITED);
  private final GrantRoom room = new GrantRoom(pages, root);
  private final GrantLanes lanes = new GrantLanes();

  private void waits(WaitingGrant request, GrantLanes.Room found) {
    GrantLanes.Obstacle obstacle = lanes.tryServe(request, found);
    assertThat(obstacle).isEqualTo(GrantLanes.Obstacle.BUDGET);
    lanes.add(request, obstacle);
  }

  @Test
  void roomThatComesBehindTheLookIsNotForThoseWhoComeLater() {
    assertThat(two.tryCharge(5 * MIB)).isTrue();
    GrantLanes.Room freedBehindTheLook =
        new GrantLanes.Room() {
          @Override
          public GrantLanes.Obstacle take(WaitingGrant request, Lane lane) {
            GrantLanes.Obstacle obstacle = room.take(request, lane);
            two.uncharge(MIB);
            return obstacle;
          }

          @Override
          public boolean isHopeless(WaitingGrant request) {
            return false;
          }
        };
    waits(new WaitingGrant(4 * MIB, one, 0), freedBehindTheLook);

    assertThat(lanes.tryServe(new WaitingGrant(MIB, two, 0), room))
        .isEqualTo(GrantLanes.Obstacle.OTHERS);
  }

  @Test
  void grantsOfBudgetsBesideTheFullOneGoOn() {
    assertThat(one.tryCharge(MIB)).isTrue();
    waits(new WaitingGrant(4 * MIB, one, 0), room);

    assertThat(lanes.tryServe(new WaitingGrant(MIB, one, 0), room))
        .isEqualTo(GrantLanes.Obstacle.OTHERS);
    assertThat(lanes.tryServe(new WaitingGrant(MIB, two, 0), room))
        .isEqualTo(GrantLanes.Obstacle.NOTHING);
  }
}
