package dev.weir.benchmarks.harness;

import io.netty.channel.DefaultEventLoop;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;

/** On which threads a benchmark runs. */
public enum ThreadKind {
  /** Event loops of Netty's. */
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

  /** Runs a task on such a thread beside those of JMH. */
  public Future<?> start(Runnable task) {
    FutureTask<Void> future = new FutureTask<>(task, null);
    switch (this) {
      case EVENT_LOOP ->
          new DefaultEventLoop(new DefaultThreadFactory(POOL_NAME, /* daemon= */ true))
              .execute(future);
      case PLAIN -> Thread.ofPlatform().name(POOL_NAME).daemon().start(future);
      case VIRTUAL -> Thread.ofVirtual().name(POOL_NAME).start(future);
    }
    return future;
  }

  /** Makes JMH's own threads such threads; where they are virtual, its single one only waits. */
  List<String> jvmFlags() {
    return this != EVENT_LOOP
        ? List.of()
        : List.of(
            "-Djmh.executor=CUSTOM", "-Djmh.executor.class=" + EventLoopThreads.class.getName());
  }
}
