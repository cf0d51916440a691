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

  public LeakReports(Class<?> resourceType, int samplingInterval) {
    super(resourceType, samplingInterval);
  }

  @Override
  protected boolean needReport() {
    return true;
  }

  @Override
  protected void reportTracedLeak(String resourceType, String records) {
    REPORTS.add(records);
  }

  @Override
  protected void reportUntracedLeak(String resourceType) {
    REPORTS.add("");
  }
}
