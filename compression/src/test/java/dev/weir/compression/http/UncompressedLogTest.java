package dev.weir.compression.http;

import static org.assertj.core.api.Assertions.assertThat;

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

class UncompressedLogTest {
  private final Logger logger = Logger.getLogger(UncompressedLog.class.getPackageName());
  private final List<LogRecord> records = new ArrayList<>();

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
    AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
    UncompressedLog log = new UncompressedLog(now::get);
    log.report(new OutOfMemoryError("no room"));
    for (int i = 0; i < 4; i++) {
      log.report(new IllegalStateException("broken"));
      now.addAndGet(TimeUnit.SECONDS.toNanos(25));
    }
    assertLevels(Level.FINE, Level.WARNING, Level.FINE, Level.FINE, Level.WARNING);
  }

  /** At which level depends on what others have had logged in the minute before. */
  @Test
  void anAllocatorThatIsNotToBeHadIsToldOf() {
    IllegalStateException broken = new IllegalStateException("made to fail");
    try (ResponseFixture compressing =
        new ResponseFixture(
            ResponseOptions.DEFAULT,
            () -> {
              throw broken;
            })) {
      compressing.request("gzip");
      compressing.channel.writeOutbound(compressing.whole(new byte[10_000], "text/plain"));
      compressing.channel.releaseOutbound();
    }
    assertThat(records).extracting(LogRecord::getThrown).containsExactly(broken);
  }
}
