package dev.weir.memory.jfr;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.pressure.Pressure;
import java.util.Map;
import java.util.WeakHashMap;

/** Tells the budgets whose pressure is another than at the last look. One thread at a time. */
final class PressureLook {
  private final Map<Budget, Pressure> seen = new WeakHashMap<>();

  synchronized void look(Budget root) {
    for (Budget budget : LargestBudgets.below(root)) {
      Pressure now = budget.pressure();
      Pressure before = seen.put(budget, now);
      if (now != (before == null ? Pressure.NONE : before)) {
        PressureEvent event = new PressureEvent();
        event.budget = budget.path();
        event.before = (before == null ? Pressure.NONE : before).name();
        event.now = now.name();
        event.chargedBytes = budget.chargedBytes();
        event.softLimitBytes = budget.softLimitBytes();
        event.limitBytes = budget.limitBytes();
        event.commit();
      }
    }
  }
}
