package dev.weir.netty.write;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.pressure.Pressure;
import dev.weir.memory.pressure.PressureListener;
import dev.weir.memory.pressure.Registration;
import org.jspecify.annotations.Nullable;

/**
 * One budget that a {@link WriteGate} follows: keeps the gate closed while the pressure is
 * critical, until this is closed. A change that is told after that, which can happen, changes
 * nothing. Thread-safe.
 */
final class FollowedBudget implements PressureListener, Registration {
  private final WriteGate gate;

  // Guarded by this; the gate is told under it, and those who wait for the gate after it.
  private @Nullable Registration listening;
  private boolean critical;
  private boolean closed;

  FollowedBudget(WriteGate gate) {
    this.gate = gate;
  }

  /** Begins to listen; once. */
  void listenTo(Budget budget) {
    Registration begun = budget.addPressureListener(this);
    synchronized (this) {
      listening = begun;
    }
  }

  @Override
  public void pressureChanged(Pressure level) {
    if (change(level == Pressure.CRITICAL, /* end= */ false)) {
      gate.wakeWaiting();
    }
  }

  @Override
  public void close() {
    Registration begun;
    synchronized (this) {
      begun = listening;
    }
    if (begun != null) {
      begun.close();
    }
    if (change(/* nowCritical= */ false, /* end= */ true)) {
      gate.wakeWaiting();
    }
  }

  /** Whether that has opened the gate. */
  private synchronized boolean change(boolean nowCritical, boolean end) {
    if (closed) {
      return false;
    }
    closed = end;
    if (critical == nowCritical) {
      return false;
    }
    critical = nowCritical;
    if (nowCritical) {
      gate.addCritical();
      return false;
    }
    return gate.removeCritical();
  }
}
