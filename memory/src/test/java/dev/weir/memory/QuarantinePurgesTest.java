package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.hardening.Hardening;
import dev.weir.memory.os.NativeMemory;
import dev.weir.memory.testing.DelegatingNativeMemory;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What leaves the quarantine goes back to the system while others may release and look. */
@Timeout(120)
class QuarantinePurgesTest {
  private static final int MIB = 1 << 20;

  private final AtomicInteger purges = new AtomicInteger();
  private final AtomicBoolean othersWaited = new AtomicBoolean();
  private final Pool pool =
      Pool.create(
          PoolOptions.withLimit(64 * MIB)
              .withDecay(Duration.ofDays(1))
              .withNativeMemory(new Watched())
              .withHardening(Hardening.full().withQuarantine(16 * MIB)));

  @Test
  void noSystemCallIsMadeUnderItsLock() {
    for (int i = 0; i < 70; i++) {
      pool.allocate(200_000).release();
    }
    assertThat(pool.snapshot().quarantinedBytes()).isGreaterThan(12 * MIB);
    pool.trim();
    assertThat(purges).hasPositiveValue();
    assertThat(othersWaited).isFalse();
    pool.close();
  }

  /** The system's memory; each purge has another thread look at the quarantine meanwhile. */
  private final class Watched extends DelegatingNativeMemory {
    Watched() {
      super(NativeMemory.system());
    }

    @Override
    public void purge(long address, long bytes) {
      purges.incrementAndGet();
      if (!othersWaited.get() && !canLook()) {
        othersWaited.set(true);
      }
      super.purge(address, bytes);
    }

    private boolean canLook() {
      CountDownLatch looked = new CountDownLatch(1);
      Thread.ofPlatform()
          .daemon()
          .start(() -> {
            pool.snapshot();
            looked.countDown();
          });
      try {
        return looked.await(10, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
  }
}
