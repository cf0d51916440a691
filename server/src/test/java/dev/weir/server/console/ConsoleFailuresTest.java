package dev.weir.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.profile.LeakWatch;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Somebody's code fails on the console's thread, and so may the log that is told of it. */
@Timeout(60)
class ConsoleFailuresTest {
  private static final Duration LEAK_AGE = Duration.ofSeconds(30);

  private final Logger logger = Logger.getLogger("dev.weir");
  private final AtomicInteger logged = new AtomicInteger();
  private final AtomicBoolean logFails = new AtomicBoolean();
  private final Handler log =
      new Handler() {
        @Override
        public void publish(LogRecord logRecord) {
          logged.incrementAndGet();
          if (logFails.get()) {
            throw new OutOfMemoryError("made by the test");
          }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  private final Pool pool = Pool.create(PoolOptions.withLimit(4 << 20));

  @BeforeEach
  void listen() {
    logger.addHandler(log);
    logger.setUseParentHandlers(false);
  }

  @AfterEach
  void stop() {
    logger.removeHandler(log);
    logger.setUseParentHandlers(true);
    pool.close();
  }

  private Console console(LongSupplier figure, ConsoleAccess access, long intervalMillis) {
    return Console.start(
        pool, Map.of("figure", figure), access, intervalMillis, new LeakWatch(LEAK_AGE));
  }

  @Test
  void aFailedLogLineKeepsNobodyWaiting() throws Exception {
    AtomicBoolean fails = new AtomicBoolean(true);
    LongSupplier figure =
        () -> {
          if (fails.get()) {
            throw new OutOfMemoryError("made by the test");
          }
          return 42;
        };
    logFails.set(true);
    try (Console console = console(figure, ConsoleAccess.OFF, /* intervalMillis= */ 0)) {
      for (int i = 0; i < 3; i++) {
        assertThat(console.frame()).failsWithin(Duration.ofSeconds(30));
      }
      assertThat(logged).hasPositiveValue();
      fails.set(false);
      console.frame().get(30, TimeUnit.SECONDS).release();
    }
  }

  @Test
  void aWatcherThatAlwaysFailsIsLoggedOnceAndOthersSee() throws Exception {
    CountDownLatch shown = new CountDownLatch(20);
    try (Console console = console(() -> 42, ConsoleAccess.LOOPBACK, /* intervalMillis= */ 1)) {
      console.watch(frame -> {
        throw new IllegalStateException("made by the test");
      });
      console.watch(frame -> shown.countDown());
      assertThat(shown.await(30, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(logged).hasValue(1);
  }
}
