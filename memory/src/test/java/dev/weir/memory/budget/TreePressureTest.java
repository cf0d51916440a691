package dev.weir.memory.budget;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.pressure.Pressure;
import dev.weir.memory.pressure.Registration;
import dev.weir.memory.testing.Await;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who is told of which level, without a purger. */
@Timeout(120)
class TreePressureTest {
  private static final class Ledger implements RootLedger {
    long usedBytes;
    long bandFromBytes = -1;
    long bandToBytes = -1;

    @Override
    public long limitBytes() {
      return 1_000;
    }

    @Override
    public long liveBlockBytes() {
      return usedBytes;
    }

    @Override
    public long liveHeapBytes() {
      return 0;
    }

    @Override
    public long heldHeapBytes() {
      return 0;
    }

    @Override
    public long usedBytes() {
      return usedBytes;
    }

    @Override
    public void watchUsed(long fallsBelow, long risesAt) {
      bandFromBytes = fallsBelow;
      bandToBytes = risesAt;
    }

    @Override
    public void pressureMoved() {}

    @Override
    public void roomFreed() {}
  }

  private final Ledger ledger = new Ledger();
  private final Budget root = Budget.root("root", ledger, 0);
  private final AtomicReference<Pressure> told = new AtomicReference<>(Pressure.NONE);

  private void awaitTold(Pressure level) {
    Await.until(() -> told.get() == level, () -> told + " is told, not " + level);
  }

  @Test
  void theRootIsLookedAtThoughNoChargeTellsOfIt() {
    root.addPressureListener(told::set);
    root.tellPressure(/* all= */ false);

    ledger.usedBytes = 800;
    root.tellPressure(/* all= */ false);
    awaitTold(Pressure.HIGH);
    ledger.usedBytes = 0;
    root.tellPressure(/* all= */ false);
    awaitTold(Pressure.NONE);
  }

  /** They are gone through a few at a time, and come and go meanwhile. */
  @Test
  void eachOfManyIsToldWhateverLeavesMeanwhile() {
    int many = 10 * ChildWalk.STEP + 1;
    List<Budget> budgets = new ArrayList<>();
    List<Registration> registrations = new ArrayList<>();
    List<AtomicReference<Pressure>> heard = new ArrayList<>();
    for (int i = 0; i < many; i++) {
      AtomicReference<Pressure> level = new AtomicReference<>(Pressure.NONE);
      Budget budget = root.child("b" + i, 1_000);
      registrations.add(budget.addPressureListener(level::set));
      budgets.add(budget);
      heard.add(level);
    }
    root.tellPressure(/* all= */ true);
    for (int i = 0; i < many; i++) {
      assertThat(budgets.get(i).tryCharge(800)).isTrue();
      if (i % 3 == 0) {
        registrations.get(i).close();
      }
    }

    root.tellPressure(/* all= */ true);

    for (int i = 0; i < many; i++) {
      AtomicReference<Pressure> level = heard.get(i);
      Pressure expected = i % 3 == 0 ? Pressure.NONE : Pressure.HIGH;
      Await.until(() -> level.get() == expected, () -> level + " is told");
    }
    registrations.forEach(Registration::close);
    assertThat(root.hasPressureListeners()).isFalse();
  }

  @Test
  void thePagesAreWatchedAsLongAsSomebodyListens() {
    Registration first = root.addPressureListener(told::set);
    Registration second = root.addPressureListener(told::set);
    root.tellPressure(/* all= */ false);
    assertThat(ledger.bandToBytes).isEqualTo(750);

    first.close();
    assertThat(ledger.bandToBytes).isEqualTo(750);
    second.close();

    assertThat(ledger.bandFromBytes).isZero();
    assertThat(ledger.bandToBytes).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void allThatHaveMovedAreTold() {
    AtomicReference<Pressure> other = new AtomicReference<>(Pressure.NONE);
    Budget one = root.child("one", 100);
    Budget two = root.child("two", 100);
    one.addPressureListener(told::set);
    two.addPressureListener(other::set);
    root.tellPressure(/* all= */ false);

    assertThat(one.tryCharge(80)).isTrue();
    assertThat(two.tryCharge(80)).isTrue();
    root.tellPressure(/* all= */ false);

    awaitTold(Pressure.HIGH);
    Await.until(() -> other.get() == Pressure.HIGH, () -> "the other is not told");
    one.uncharge(80);
    root.tellPressure(/* all= */ true);
    awaitTold(Pressure.NONE);
  }

  @Test
  void aBudgetWhoseListenersHaveGoneIsNotKept() {
    WeakReference<Budget> gone = new WeakReference<>(watchedOnce());

    Await.until(
        () -> {
          System.gc();
          return gone.get() == null;
        },
        () -> "something refers to the budget still");
  }

  private Budget watchedOnce() {
    Budget budget = root.child("gone", 100);
    budget.addPressureListener(told::set).close();
    budget.close();
    return budget;
  }
}
