package dev.weir.lab.trace;

import java.io.IOException;

/**
 * Takes the events of a trace, in order. Used by one thread.
 *
 * <p>Live blocks are known by slot numbers, which {@link SlotNumbers} hands out: they stay below
 * the largest number of blocks that were ever live at once.
 */
public interface TraceSink {
  /**
   * A block begins to live.
   *
   * @param slot free until now
   * @param bytes at least 1
   */
  void allocate(int slot, int bytes) throws IOException;

  /** The block in the slot ends. */
  void release(int slot) throws IOException;

  /** Another phase begins. */
  void phase(TracePhase phase) throws IOException;

  /** Nothing happens for so long, in microseconds; at least 1. */
  void pause(long micros) throws IOException;

  /**
   * The block in the slot gets another size, and perhaps another place.
   *
   * @param bytes at least 1
   */
  void grow(int slot, int bytes) throws IOException;

  /** The events that follow happen on that thread; before the first such event, on thread 0. */
  default void thread(int thread) throws IOException {}

  /** So many events are missing here; at least 1. */
  default void lost(long events) throws IOException {}
}
