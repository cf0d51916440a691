package dev.weir.netty.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.flow.AdmissionRefusedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RefusalLogTest {
  private final Logger logger = Logger.getLogger(RefusalLog.class.getPackageName());
  private final List<LogRecord> records = new ArrayList<>();
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord logRecord) {
          records.add(logRecord);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @BeforeEach
  void listen() {
    logger.setLevel(Level.ALL);
    logger.setUseParentHandlers(false);
    logger.addHandler(handler);
  }

  @AfterEach
  void listenNoMore() {
    logger.removeHandler(handler);
    logger.setUseParentHandlers(true);
    logger.setLevel(null);
  }

  @Test
  void oneAMinuteIsAWarning() {
    AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
    RefusalLog log = new RefusalLog(now::get);
    for (int i = 0; i < 5; i++) {
      log.report("refused", new IOException());
      now.addAndGet(TimeUnit.SECONDS.toNanos(20));
    }
    assertThat(records)
        .extracting(LogRecord::getLevel)
        .containsExactly(Level.WARNING, Level.FINE, Level.FINE, Level.WARNING, Level.FINE);
  }

  private void assertLogged(Throwable failure) {
    assertThat(records).extracting(LogRecord::getThrown).containsExactly(failure);
  }

  @Test
  void whatBecameOfADiskIsLogged() {
    IOException full = new IOException("No space left on device");
    assertThat(SpilledBody.failed(full)).hasMessageNotContaining("space");
    assertLogged(full);
  }

  @Test
  void anAdmissionThatFailsIsLogged() {
    IllegalStateException closed = new IllegalStateException("the pool is closed");
    assertThat(RefusedRequestException.notAdmitted(100, closed)).hasMessageNotContaining("pool");
    assertLogged(closed);
  }

  @Test
  void boundsThatWereSetAreNot() {
    var refusal = new AdmissionRefusedException(AdmissionRefusedException.Reason.DEADLINE, "full");
    assertThat(RefusedRequestException.notAdmitted(100, refusal)).isNotNull();
    assertThat(RefusedRequestException.notAdmitted(100, new OutOfMemoryError())).isNotNull();
    assertThat(records).isEmpty();
  }
}
