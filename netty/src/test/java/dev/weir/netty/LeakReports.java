package dev.weir.netty;

import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Netty's leak detector, whose reports the tests can read; a system property of the test JVM
 * installs it.
 */
public final class LeakReports<T> extends ResourceLeakDetector<T> {
  private static final int MAX_COLLECTIONS = 200;
  private static final int ALLOCATIONS_PER_COLLECTION = 2_000;

  static final Queue<String> REPORTS = new ConcurrentLinkedQueue<>();

  /** Whether reports are kept here; otherwise they are logged. */
  static volatile boolean recording;

  public LeakReports(Class<?> resourceType, int samplingInterval) {
    super(resourceType, samplingInterval);
  }

  /** The constructor that Netty looks for first, and does not use. */
  @Deprecated
  public LeakReports(Class<?> resourceType, int samplingInterval, long maxActive) {
    super(resourceType, samplingInterval, maxActive);
  }

  @Override
  protected boolean needReport() {
    return true;
  }

  @Override
  protected void reportTracedLeak(String resourceType, String records) {
    if (recording) {
      REPORTS.add(records);
    } else {
      super.reportTracedLeak(resourceType, records);
    }
  }

  /**
   * Collects garbage and allocates until there is a report of a buffer that was lost in a method.
   *
   * @return the report
   */
  static String await(Class<?> test, String method, ByteBufAllocator allocator) {
    String frame = test.getName() + '.' + method + '(';
    for (int collection = 0; collection < MAX_COLLECTIONS; collection++) {
      System.gc();
      for (int i = 0; i < ALLOCATIONS_PER_COLLECTION; i++) {
        allocator.directBuffer(64).release();
      }
      for (String report : REPORTS) {
        if (report.contains(frame)) {
          return report;
        }
      }
    }
    throw new AssertionError("no report of a buffer lost in " + method + " among " + REPORTS);
  }
}
