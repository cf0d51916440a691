package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.os.FlakyNativeMemory;
import dev.weir.memory.testing.Await;
import dev.weir.memory.testing.SeededRuns;
import dev.weir.memory.testing.Smaps;
import dev.weir.memory.testing.Workers;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * Everything at once, on real memory: threads with heaps and without allocate, grow, hand over and
 * release, take grants, change limits, trim; owners end, with and without a word; the purger looks
 * everywhere every 5 ms; purges fail; in the end the pool is closed under all of them. Every block
 * is known by its contents; at rest the pool's counts are those of its users and of the kernel.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class MixedStressTest {
  private static final long MIB = 1 << 20;

  @Test
  void everyBlockIsItsHoldersAlone() {
    SeededRuns.forSeeds(getClass(), 3, random -> new Session(random).run());
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void theKernelCountsTheSameAtRest() {
    SeededRuns.forSeeds(
        getClass(),
        2,
        random -> {
          Session session = new Session(random);
          session.work();
          session.rest();
          session.compareWithTheKernel();
          session.end();
        });
  }

  private static final class Session {
    private final SplittableRandom random;
    private final FlakyNativeMemory os = new FlakyNativeMemory();
    private final StressedPool stressed;
    private final Pool pool;

    Session(SplittableRandom random) {
      this.random = random;
      long limitBytes = random.nextLong(3 * MIB, 24 * MIB);
      os.failAtRate(random.nextInt(3) == 0 ? 0.05 : 0);
      stressed = new StressedPool(os, limitBytes, random.split());
      pool = stressed.pool;
    }

    void run() throws InterruptedException {
      work();
      rest();
      workWhileThePoolIsClosed();
      end();
    }

    void work() throws InterruptedException {
      start().join();
      if (stressed.failure() != null) {
        throw new AssertionError("in a grant's callback", stressed.failure());
      }
    }

    private Workers start() {
      Workers workers = new Workers();
      for (int i = 0; i < 2; i++) {
        SplittableRandom owner = random.split();
        workers.platform(() -> stressed.generations(owner));
        SplittableRandom plain = random.split();
        workers.platform(() -> new StressActor(stressed, plain, null).work());
        SplittableRandom virtual = random.split();
        workers.virtual(() -> new StressActor(stressed, virtual, null).work());
        SplittableRandom virtualOwner = random.split();
        workers.virtual(() -> StressActor.withHeap(stressed, virtualOwner).work());
      }
      return workers;
    }

    /** Nobody allocates or releases now; the purger goes on. */
    void rest() {
      os.failAtRate(0);
      Await.until(() -> pool.snapshot().ownedHeaps() == 0, () -> pool.snapshot().toString());
      Await.until(() -> stressed.grantsUnderWay.get() == 0, () -> pool.snapshot().toString());
      Await.untilPasses(pool::checkInvariants);
      Await.untilPasses(() ->
          assertThat(pool.liveBlockBytes())
              .isEqualTo(stressed.liveBlocks().stream().mapToLong(Block::size).sum()));
      Await.untilPasses(stressed::checkCharges);
      assertThat(stressed.liveBlocks()).isNotEmpty();
      stressed.checkAddresses(stressed.liveBlocks());
    }

    void compareWithTheKernel() {
      // Trimmed pages are gone, and every live block has been written.
      pool.trim();
      Await.until(() -> pool.dirtyBytes() == 0, () -> pool.snapshot().toString());
      long resident = pool.residentBytes();
      long rss = Smaps.residentBytes(pool.reservationAddress(), pool.reservationBytes());
      assertThat(rss)
          .as("%s", pool.snapshot())
          .isBetween(resident - resident / 50 - MIB, resident + MIB);
    }

    private void workWhileThePoolIsClosed() throws InterruptedException {
      Workers workers = start();
      stressed.closeAfter(random.nextInt(2_000));
      workers.join();
      Await.untilPasses(() -> assertThat(pool.isClosed()).isTrue());
      os.failAtRate(0);
    }

    /** Every block still holds what was written, and with the last one all is gone. */
    void end() {
      stressed.releaseAll();
      Await.untilPasses(() -> assertThat(pool.liveBlockBytes()).isZero());
      stressed.checkCharges();
      if (!pool.isClosed()) {
        pool.trim();
        Await.until(() -> pool.residentBytes() == 0, () -> pool.snapshot().toString());
        Await.untilPasses(pool::checkInvariants);
        pool.close();
      }
      Await.until(() -> os.reservations() == 0, () -> pool.snapshot().toString());
    }
  }
}
