package dev.weir.benchmarks.harness;

import java.util.List;

/** The level of Netty's leak detector, which all peers report to. */
public enum LeakDetection {
  /** Nothing is tracked. */
  DISABLED("disabled"),
  /** Netty's default: one buffer in 128 is tracked. */
  SIMPLE("simple");

  private final String label;

  LeakDetection(String label) {
    this.label = label;
  }

  /** The name on the command line and in reports. */
  public String label() {
    return label;
  }

  List<String> jvmFlags() {
    return List.of("-Dio.netty.leakDetection.level=" + label);
  }
}
