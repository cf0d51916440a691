package dev.weir.compression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.compression.context.LastResort;
import java.util.concurrent.CountDownLatch;

/**
 * Keeps {@link LastResort} from giving anything back: its thread is in the middle of what a lost
 * object asked for, until this is closed. So a context that nobody destroys stays charged.
 */
public final class HeldCleaner implements AutoCloseable {
  private final CountDownLatch held = new CountDownLatch(1);
  private final CountDownLatch end = new CountDownLatch(1);

  public HeldCleaner() {
    loseAnObject();
    while (held.getCount() > 0 && !Thread.currentThread().isInterrupted()) {
      System.gc();
      Thread.onSpinWait();
    }
    assertThat(held.getCount()).as("the cleaner is held").isZero();
  }

  private void loseAnObject() {
    CountDownLatch reached = held;
    CountDownLatch left = end;
    LastResort.register(
        new Object(),
        () -> {
          reached.countDown();
          try {
            left.await();
          } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
          }
        });
  }

  @Override
  public void close() {
    end.countDown();
  }
}
