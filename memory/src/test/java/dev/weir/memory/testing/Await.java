package dev.weir.memory.testing;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for what other threads bring about, up to a deadline that only a defect reaches. */
public final class Await {
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final long POLL_NANOS = 1_000_000;

  private Await() {}

  /** Polls until the condition holds; fails with the description at the deadline. */
  public static void until(BooleanSupplier condition, Supplier<String> otherwise) {
    long deadlineNanos = System.nanoTime() + DEADLINE.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadlineNanos > 0) {
        throw new AssertionError("not within " + DEADLINE + ": " + otherwise.get());
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  /**
   * Repeats a check that another thread may disturb until it passes; at the deadline its last error
   * is thrown.
   */
  public static void untilPasses(Runnable check) {
    AssertionError[] last = new AssertionError[1];
    try {
      until(
          () -> {
            try {
              check.run();
              return true;
            } catch (AssertionError e) {
              last[0] = e;
              return false;
            }
          },
          () -> "a check to pass");
    } catch (AssertionError e) {
      throw last[0] == null ? e : last[0];
    }
  }
}
