package dev.weir.replication.testing;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits for what other threads bring about, up to a deadline that only a defect reaches. */
public final class Await {
  private static final long DEADLINE_SECONDS = 60;
  private static final long POLL_NANOS = 1_000_000;

  private Await() {}

  /** Something that comes to be. */
  public interface Condition {
    boolean holds() throws Exception;
  }

  /** Polls until the condition holds. */
  public static void until(Condition condition) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
    while (!condition.holds()) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError("not within " + DEADLINE_SECONDS + " s");
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }
}
