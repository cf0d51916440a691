package dev.weir.memory.jmx;

import java.lang.management.BufferPoolMXBean;

/**
 * What management tools see of a pool. As of any {@link BufferPoolMXBean}, the count is that of
 * live blocks, the capacity the sum of their sizes, and the memory used what is resident for them:
 * here live and dirty pages, which the limit limits.
 */
public interface PoolMXBean extends BufferPoolMXBean {
  /** The most that may be resident, in bytes. */
  long getLimitBytes();

  /** Pages in use, in bytes. */
  long getLiveBytes();

  /** Pages free but resident, in bytes. */
  long getDirtyBytes();

  /** The most that was ever resident, in bytes. */
  long getPeakResidentBytes();

  /** Slots of live heap buffers, in bytes of the Java heap. */
  long getHeapBytes();

  /** Arrays behind heap buffers, with what is free in them, in bytes of the Java heap. */
  long getHeldHeapBytes();

  /** What the pool holds, as text for people: size classes, runs, budgets. */
  String dump();
}
