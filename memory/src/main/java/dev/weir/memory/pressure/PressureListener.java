package dev.weir.memory.pressure;

/**
 * Hears how close a budget is to its limit.
 *
 * <p>Called on a thread of its own, outside every lock, one call at a time and in the order of the
 * changes. While a call lasts, changes are not queued: the next call tells the level of its time,
 * or there is none, if it is what was told before. So it may block, allocate, close budgets, change
 * limits and register others; nothing waits for it. What it throws is logged the first time.
 */
@FunctionalInterface
public interface PressureListener {
  /** The level is another than at the last call; {@link Pressure#NONE} before the first. */
  void pressureChanged(Pressure level);
}
