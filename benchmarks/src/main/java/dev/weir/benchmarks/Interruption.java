package dev.weir.benchmarks;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C: what to do with a run that is given up. The JVMs that measure get the signal too, so the
 * run fails at about the same time; whoever sees that asks {@link #isUnderWay} before complaining.
 */
final class Interruption {
  /** How far apart two processes may get the signal of one key. */
  private static final int SIGNAL_MILLIS = 300;

  private final CountDownLatch begun = new CountDownLatch(1);
  private final Thread hook;

  /** From now on a program that is interrupted does this before it ends. */
  Interruption(Runnable last) {
    hook =
        new Thread(
            () -> {
              begun.countDown();
              last.run();
            },
            "interrupted");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Whether the program is ending, or begins to within a moment. */
  boolean isUnderWay() {
    try {
      return begun.await(SIGNAL_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  /** Nothing is left to do at the end. */
  void isOver() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException ending) {
      // The hook runs already.
    }
  }
}
