package dev.weir.netty.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FailureLogTest {
  private final Logger logger = Logger.getLogger(FailureLogTest.class.getPackageName());
  private final List<LogRecord> records = new ArrayList<>();
  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
  private final FailureLog log = new FailureLog(FailureLogTest.class, now::get);

  @BeforeEach
  void listen() {
    logger.setLevel(Level.ALL);
    logger.setFilter(told -> !records.add(told));
  }

  @AfterEach
  void listenNoMore() {
    logger.setFilter(null);
    logger.setLevel(null);
  }

  private void assertLevels(Level... levels) {
    assertThat(records).extracting(LogRecord::getLevel).containsExactly(levels);
  }

  @Test
  void whatIsBrokenIsAWarningOnceAMinute() {
    for (int i = 0; i < 5; i++) {
      log.report("refused", new IOException());
      now.addAndGet(TimeUnit.SECONDS.toNanos(20));
    }
    assertLevels(Level.WARNING, Level.FINE, Level.FINE, Level.WARNING, Level.FINE);
  }

  @Test
  void boundsThatWereSetAndFaultsOfClientsAreNone() {
    log.report("no room", new OutOfMemoryError("Cannot reserve 100 bytes of direct buffer memory"));
    log.report("the heap is full", new OutOfMemoryError("Java heap space"));
    log.report("nonsense", /* failure= */ null);
    log.report("refused", new IOException());
    assertLevels(Level.FINE, Level.WARNING, Level.FINE, Level.FINE);
  }
}
