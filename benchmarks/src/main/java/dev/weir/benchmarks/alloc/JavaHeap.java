package dev.weir.benchmarks.alloc;

import java.lang.management.ManagementFactory;

/** The Java heap of this JVM. */
final class JavaHeap {
  private JavaHeap() {}

  /** What is in use once everything unreachable is collected. */
  static long usedBytes() {
    // The second collection takes what references kept through the first.
    System.gc();
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
