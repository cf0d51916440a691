package dev.weir.memory.jfr;

import dev.weir.memory.budget.Budget;

/** A pool that can be looked at while something records. Any thread may look. */
public interface RecordedPool {
  /** The root of its budgets. */
  Budget root();

  /** What it holds now. */
  Figures figures();

  /** Whether it is closed and has given everything back. */
  boolean isGone();

  /** A pool at one moment, in bytes. */
  record Figures(
      String name,
      long limitBytes,
      long liveBytes,
      long dirtyBytes,
      long peakResidentBytes,
      long promisedBytes,
      long blocks,
      long blockBytes,
      long freeSlotBytes,
      long uncommittedBytes,
      long hardeningBytes,
      long purgedBytes) {}
}
