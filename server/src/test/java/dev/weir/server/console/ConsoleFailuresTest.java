package dev.weir.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.profile.LeakWatch;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Somebody's code fails on the console's thread. */
@Timeout(120)
class ConsoleFailuresTest {
  private static final Duration LEAK_AGE = Duration.ofSeconds(30);

  private final Logger logger = Logger.getLogger("dev.weir");
  private final AtomicInteger logged = new AtomicInteger();
  private final Handler log =
      new Handler() {
        @Override
        public void publish(LogRecord logRecord) {
          logged.incrementAndGet();
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
  void aFrameThatFailsKeepsNobodyWaiting() throws Exception {
    AtomicBoolean fails = new AtomicBoolean(true);
    LongSupplier figure =
        () -> {
          if (fails.get()) {
            throw new IllegalStateException("made by the test");
          }
          return 42;
        };
    try (Console console = console(figure, ConsoleAccess.OFF, /* intervalMillis= */ 0)) {
      for (int i = 0; i < 3; i++) {
        assertThat(console.frame()).failsWithin(Duration.ofSeconds(60));
      }
      assertThat(logged).hasPositiveValue();
      fails.set(false);
      console.frame().get(60, TimeUnit.SECONDS).release();
    }
  }

  /** Something fails when a frame has its memory, and is not quite made. */
  @Test
  void aFrameThatIsNotFinishedIsGivenBackAndTheNextOnesCome() throws Exception {
    List<ByteBuf> given = new CopyOnWriteArrayList<>();
    ByteBufAllocator memory =
        new AbstractByteBufAllocator(/* preferDirect= */ true) {
          @Override
          public boolean isDirectBufferPooled() {
            return false;
          }

          @Override
          protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
            throw new UnsupportedOperationException("no frame lies there");
          }

          @Override
          protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
            boolean fails = given.size() % 2 == 0;
            ByteBuf buffer =
                new UnpooledDirectByteBuf(this, initialCapacity, maxCapacity) {
                  @Override
                  public ByteBuf writeByte(int value) {
                    if (fails) {
                      throw new OutOfMemoryError("made by the test");
                    }
                    return super.writeByte(value);
                  }
                };
            given.add(buffer);
            return buffer;
          }
        };
    CountDownLatch shown = new CountDownLatch(10);
    try (Console console =
        Console.start(
            pool,
            memory,
            Map.of(),
            ConsoleAccess.LOOPBACK,
            /* intervalMillis= */ 1,
            new LeakWatch(LEAK_AGE))) {
      console.watch(frame -> shown.countDown());
      assertThat(shown.await(60, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(given).hasSizeGreaterThan(10);
    while (given.stream().anyMatch(buffer -> buffer.refCnt() > 0)) {
      // Its thread may be at a last one.
      LockSupport.parkNanos(1_000_000);
      assertThat(Thread.interrupted()).as("frames are left").isFalse();
    }
    assertThat(logged).hasValue(1);
  }

  @Test
  void aWatcherThatAlwaysFailsIsLoggedOnceAndOthersSee() throws Exception {
    CountDownLatch shown = new CountDownLatch(20);
    try (Console console = console(() -> 42, ConsoleAccess.LOOPBACK, /* intervalMillis= */ 1)) {
      console.watch(frame -> {
        throw new IllegalStateException("made by the test");
      });
      console.watch(frame -> shown.countDown());
      assertThat(shown.await(60, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(logged).hasValue(1);
  }
}
