package dev.weir.server.metrics;

import java.util.List;
import java.util.function.LongSupplier;

/** The conditions of a node that are logged. Any thread may tell of them. */
public final class Conditions {
  private static final System.Logger LOG = System.getLogger(Conditions.class.getName());

  private final Condition full;
  private final Condition memory;
  private final Condition disk;
  private final Condition flood;

  /** Logs to the system's logger. */
  public Conditions() {
    this(System::nanoTime, LOG::log);
  }

  Conditions(LongSupplier nanoTime, Condition.Log log) {
    full =
        new Condition(
            "the node has as many clients as it takes: others are answered 503",
            "the node has places for clients again",
            nanoTime,
            log);
    memory =
        new Condition(
            "memory is short: answers wait for room in the budget",
            "answers do not wait for memory any more",
            nanoTime,
            log);
    disk =
        new Condition(
            "the disk is full: appends are answered 507",
            "appends are not refused for the disk any more",
            nanoTime,
            log);
    flood =
        new Condition(
            "a flood was cut off, more are only counted: ",
            "there are no more floods to cut off",
            nanoTime,
            log);
  }

  /** A client found no place. */
  public void noPlace() {
    full.met("");
  }

  /** A piece of an answer found no memory at once. */
  public void noMemory() {
    memory.met("");
  }

  /** An append found no room on the disk. */
  public void noDisk() {
    disk.met("");
  }

  /**
   * A connection was ended for what its client did too often.
   *
   * @param what the client and the reason, in one line
   */
  public void flood(String what) {
    flood.met(what);
  }

  /** Sees which are over; to be called about once a second. */
  public void look() {
    List.of(full, memory, disk, flood).forEach(Condition::look);
  }
}
