package dev.weir.memory.jfr;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.os.NativeMemory;
import jdk.jfr.FlightRecorder;

/**
 * Tells Flight Recorder what happens, if it is there and records. Any thread; throws nothing but
 * what a full Java heap or stack throws.
 */
/*
 * The first event class that is loaded takes the JVM some 100 ms to prepare, so none is loaded before something records:
 * Emission has all that refers to them. Whether anything records is a volatile read.
 */
public final class FlightRecords {
  private static final boolean AVAILABLE = isAvailable();

  private FlightRecords() {}

  private static boolean isAvailable() {
    try {
      Class.forName("jdk.jfr.FlightRecorder");
      return true;
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }

  static boolean isOn() {
    return AVAILABLE && FlightRecorder.isInitialized();
  }

  /**
   * A block was sampled.
   *
   * @param blocks how many like it the sample stands for
   */
  public static void sampled(Budget budget, long blockBytes, double blocks) {
    if (isOn()) {
      Emission.sampled(budget, blockBytes, blocks);
    }
  }

  /** An allocation was refused. */
  public static void refused(Budget budget, long requestedBytes) {
    if (isOn()) {
      Emission.refused(budget, requestedBytes);
    }
  }

  /** The same system memory, whose purges are told. */
  public static NativeMemory purgesOf(NativeMemory memory) {
    return AVAILABLE ? new RecordedMemory(memory) : memory;
  }

  /**
   * Keeps an eye on whether something has begun to record; if so, pools are looked at as often as
   * it wants. To be called now and then.
   *
   * @param pool is looked at for as long as something else refers to it
   */
  public static void lookAfter(RecordedPool pool) {
    if (isOn()) {
      Emission.lookAfter(pool);
    }
  }
}
