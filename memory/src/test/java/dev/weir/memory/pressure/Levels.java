package dev.weir.memory.pressure;

import dev.weir.memory.testing.Await;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A listener that remembers what it was told. */
final class Levels implements PressureListener {
  private final List<Pressure> told = new CopyOnWriteArrayList<>();

  @Override
  public void pressureChanged(Pressure level) {
    told.add(level);
  }

  void awaitLast(Pressure level) {
    Await.until(() -> last() == level, () -> told + " does not end with " + level);
  }

  Pressure last() {
    return told.isEmpty() ? Pressure.NONE : told.getLast();
  }

  List<Pressure> all() {
    return List.copyOf(told);
  }
}
