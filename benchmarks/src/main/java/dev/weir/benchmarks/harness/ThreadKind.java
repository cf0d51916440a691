package dev.weir.benchmarks.harness;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.List;
import java.util.concurrent.ThreadFactory;

/** On which threads a benchmark runs. */
public enum ThreadKind {
  /** Threads as Netty makes them for event loops. */
  EVENT_LOOP("event-loop"),
  /** Platform threads that Netty knows nothing of. */
  PLAIN("plain"),
  /** Virtual threads, which the benchmark starts itself. */
  VIRTUAL("virtual");

  private static final String POOL_NAME = "bench";

  private final String label;

  ThreadKind(String label) {
    this.label = label;
  }

  /** The name on the command line and in reports. */
  public String label() {
    return label;
  }

  /** What the calling thread is. */
  public static ThreadKind current() {
    Thread thread = Thread.currentThread();
    if (thread instanceof FastThreadLocalThread) {
      return EVENT_LOOP;
    }
    return thread.isVirtual() ? VIRTUAL : PLAIN;
  }

  /** Makes such threads beside those of JMH. */
  public ThreadFactory factory() {
    return switch (this) {
      case EVENT_LOOP -> new DefaultThreadFactory(POOL_NAME, /* daemon= */ true);
      case PLAIN -> Thread.ofPlatform().name(POOL_NAME).daemon().factory();
      case VIRTUAL -> Thread.ofVirtual().name(POOL_NAME).factory();
    };
  }

  /** Makes JMH's own threads such threads; where they are virtual, its single one only waits. */
  List<String> jvmFlags() {
    return this != EVENT_LOOP
        ? List.of()
        : List.of(
            "-Djmh.executor=CUSTOM", "-Djmh.executor.class=" + EventLoopThreads.class.getName());
  }
}
