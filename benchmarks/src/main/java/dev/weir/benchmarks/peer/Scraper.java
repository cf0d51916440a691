package dev.weir.benchmarks.peer;

import dev.weir.memory.Pool;
import dev.weir.micrometer.WeirMetrics;
import io.micrometer.core.instrument.Measurement;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Reads every meter of a pool once a second, 15 times as often as monitoring does by default. */
final class Scraper {
  private static final Duration PERIOD = Duration.ofSeconds(1);

  private final MeterRegistry registry = new SimpleMeterRegistry();

  /** What was read last, so that reading it is not optimized away. */
  @SuppressWarnings("UnusedVariable") // see above
  private volatile double lastSum;

  private Scraper(Pool pool) {
    new WeirMetrics(pool).bindTo(registry);
  }

  /** Starts a daemon thread that reads the meters for as long as the JVM runs. */
  static void start(Pool pool) {
    Thread.ofPlatform().daemon().name("scraper").start(new Scraper(pool)::run);
  }

  private void run() {
    while (true) {
      double sum = 0;
      for (Meter meter : registry.getMeters()) {
        for (Measurement measurement : meter.measure()) {
          sum += measurement.getValue();
        }
      }
      lastSum = sum;
      LockSupport.parkNanos(this, PERIOD.toNanos());
    }
  }
}
