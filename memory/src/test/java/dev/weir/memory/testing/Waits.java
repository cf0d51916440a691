package dev.weir.memory.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;

/** Looks at virtual threads that wait for a lock. */
public final class Waits {
  private static final int LOOKS = 20_000;

  private Waits() {}

  /** It is seen waiting for a spin lock, and in none of many looks at it has it retired. */
  public static void assertKeepsItsCarrier(AtomicReference<Thread> waiter) {
    Await.until(() -> isAtSpinLock(waiter.get()), () -> "the thread at the lock");
    for (int i = 0; i < LOOKS; i++) {
      assertThat(waiter.get().getState()).isEqualTo(Thread.State.RUNNABLE);
    }
  }

  private static boolean isAtSpinLock(Thread thread) {
    return thread != null
        && Arrays.stream(thread.getStackTrace())
            .anyMatch(frame ->
                frame.getClassName().endsWith(".SpinLock") && frame.getMethodName().equals("lock"));
  }
}
