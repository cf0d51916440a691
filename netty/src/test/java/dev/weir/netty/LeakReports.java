package dev.weir.netty;

import io.netty.util.ResourceLeakDetector;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Netty's leak detector, whose reports the tests can read; a system property of the test JVM
 * installs it.
 */
public final class LeakReports<T> extends ResourceLeakDetector<T> {
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
}
