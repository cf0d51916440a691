package dev.weir.memory.testing;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What a logger is given while this is open; it goes nowhere else. */
public final class Logged implements AutoCloseable {
  private final Logger logger;
  private final List<LogRecord> records = new CopyOnWriteArrayList<>();
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

  /** Begins to listen. */
  public Logged(String loggerName) {
    logger = Logger.getLogger(loggerName);
    logger.addHandler(handler);
    logger.setUseParentHandlers(false);
  }

  /** What has been logged so far. */
  public List<LogRecord> records() {
    return List.copyOf(records);
  }

  @Override
  public void close() {
    logger.removeHandler(handler);
    logger.setUseParentHandlers(true);
  }
}
