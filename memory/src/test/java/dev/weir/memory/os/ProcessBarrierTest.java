package dev.weir.memory.os;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Two threads that each write a word and read the other's: one of them sees what was written. */
class ProcessBarrierTest {
  private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(int[].class);

  /** The words lie on cache lines of their own. */
  private static final int FREQUENT = 16;

  private static final int RARE = 32;

  private final int[] words = new int[64];

  static Stream<Arguments> barriers() {
    return Stream.of(
        Arguments.of("heavy", (Runnable) ProcessBarrier::heavy, 20_000),
        Arguments.of("handshake", (Runnable) ProcessBarrier::handshake, 2_000));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("barriers")
  void notBothMissWhatTheOtherWrote(String name, Runnable barrier, int rounds)
      throws InterruptedException {
    CountDownLatch started = new CountDownLatch(1);
    // The frequent side writes the round it is in, then what it saw of the other side.
    Thread frequent =
        Thread.ofPlatform()
            .daemon()
            .start(() -> {
              started.countDown();
              for (int i = 1; (int) WORDS.getOpaque(words, RARE) < rounds; i++) {
                WORDS.setOpaque(words, FREQUENT, i);
                ProcessBarrier.light();
                int seen = (int) WORDS.getOpaque(words, RARE);
                WORDS.setRelease(words, FREQUENT + 1, seen);
                WORDS.setRelease(words, FREQUENT + 2, i);
              }
            });
    started.await();
    int missed = 0;
    for (int round = 1; round < rounds; round++) {
      WORDS.setOpaque(words, RARE, round);
      barrier.run();
      int entered = (int) WORDS.getOpaque(words, FREQUENT);
      // A turn that began after the one seen here has to see this round.
      int done = (int) WORDS.getAcquire(words, FREQUENT + 2);
      while (done <= entered) {
        Thread.onSpinWait();
        done = (int) WORDS.getAcquire(words, FREQUENT + 2);
      }
      missed += (int) WORDS.getAcquire(words, FREQUENT + 1) < round ? 1 : 0;
    }
    WORDS.setOpaque(words, RARE, rounds);
    frequent.join();
    assertThat(missed).isZero();
  }
}
