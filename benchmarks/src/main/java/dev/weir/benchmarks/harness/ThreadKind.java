package dev.weir.benchmarks.harness;

import java.util.List;

/** On which threads a benchmark runs. */
public enum ThreadKind {
  /** Threads as Netty makes them for event loops. */
  EVENT_LOOP("event-loop"),
  /** Platform threads that Netty knows nothing of. */
  PLAIN("plain");

  private final String label;

  ThreadKind(String label) {
    this.label = label;
  }

  /** The name on the command line and in reports. */
  public String label() {
    return label;
  }

  List<String> jvmFlags() {
    return this == PLAIN
        ? List.of()
        : List.of(
            "-Djmh.executor=CUSTOM", "-Djmh.executor.class=" + EventLoopThreads.class.getName());
  }
}
