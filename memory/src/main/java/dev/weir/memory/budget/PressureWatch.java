package dev.weir.memory.budget;

import dev.weir.memory.callback.ListenerCalls;
import dev.weir.memory.pressure.Pressure;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who listens to the pressure of one budget, and between which charges there is no news for them.
 * Guarded by the tree's lock.
 */
final class PressureWatch {
  private final List<ListenerCalls> listeners = new ArrayList<>();
  private long fallsBelow;
  private long risesAt;

  final Budget budget;
  boolean isMoved;
  @Nullable PressureWatch nextMoved;
  @Nullable PressureWatch nextWatched;
  @Nullable PressureWatch previousWatched;

  PressureWatch(Budget budget) {
    this.budget = budget;
  }

  /** Whether a charge is beyond what the level is good for. */
  boolean isLeftBy(long usedBytes) {
    return usedBytes >= risesAt || usedBytes < fallsBelow;
  }

  void set(Pressure level, long softLimitBytes, long limitBytes) {
    fallsBelow = level.lowestBytes(level, softLimitBytes, limitBytes);
    risesAt =
        switch (level) {
          case NONE ->
              Math.min(
                  level.lowestBytes(Pressure.HIGH, softLimitBytes, limitBytes),
                  level.lowestBytes(Pressure.CRITICAL, softLimitBytes, limitBytes));
          case HIGH -> level.lowestBytes(Pressure.CRITICAL, softLimitBytes, limitBytes);
          case CRITICAL -> Long.MAX_VALUE;
        };
  }

  long fallsBelow() {
    return fallsBelow;
  }

  long risesAt() {
    return risesAt;
  }

  void add(ListenerCalls listener) {
    listeners.add(listener);
  }

  /** Whether there is nobody left. */
  boolean remove(ListenerCalls listener) {
    listeners.remove(listener);
    return listeners.isEmpty();
  }

  List<ListenerCalls> listeners() {
    return List.copyOf(listeners);
  }
}
