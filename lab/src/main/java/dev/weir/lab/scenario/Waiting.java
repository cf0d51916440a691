package dev.weir.lab.scenario;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Time in which a scenario asks for nothing. */
public final class Waiting {
  private Waiting() {}

  /** Passes so many milliseconds. */
  public static void millis(long millis) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }
}
