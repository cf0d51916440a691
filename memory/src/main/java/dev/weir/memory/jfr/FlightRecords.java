package dev.weir.memory.jfr;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.os.NativeMemory;
import java.util.function.Supplier;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

/**
 * Tells Flight Recorder what happens, if it is there and records. Any thread; throws nothing: where
 * the Java heap or the stack has no room for an event, it is lost.
 */
/*
 * The first event class that is loaded takes the JVM some 100 ms to prepare, so none is loaded before something records:
 * Emission has all that refers to them. Whether anything records is a volatile read.
 */
public final class FlightRecords {
  private static final boolean AVAILABLE = isAvailable();

  /** Set when the event classes could not be loaded, which is not tried twice. */
  private static volatile boolean broken;

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
    return AVAILABLE && !broken && FlightRecorder.isInitialized();
  }

  /**
   * A block was sampled.
   *
   * @param blocks how many like it the sample stands for
   * @param caller names who asked for it; called only where something records
   */
  public static void sampled(
      Budget budget, long blockBytes, double blocks, Supplier<String> caller) {
    try {
      if (isOn()) {
        Emission.sampled(budget, blockBytes, blocks, caller);
      }
    } catch (LinkageError e) {
      broken = true;
    }
  }

  /** An allocation was refused; {@code caller} as for {@link #sampled}. */
  public static void refused(Budget budget, long requestedBytes, Supplier<String> caller) {
    try {
      if (isOn()) {
        Emission.refused(budget, requestedBytes, caller);
      }
    } catch (LinkageError e) {
      broken = true;
    }
  }

  /** A purge begins; null if nobody wants to hear of it. */
  static @Nullable PurgeTimer beginPurge() {
    try {
      return isOn() ? Emission.beginPurge() : null;
    } catch (LinkageError e) {
      broken = true;
      return null;
    }
  }

  /** A purge has ended. */
  static void endPurge(PurgeTimer timer, long bytes, int ranges) {
    try {
      timer.end(bytes, ranges);
    } catch (LinkageError e) {
      broken = true;
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
    try {
      if (isOn()) {
        Emission.lookAfter(pool);
      }
    } catch (LinkageError e) {
      broken = true;
    }
  }
}
