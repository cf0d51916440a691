package dev.weir.benchmarks.harness;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Gives JMH threads like those of an event loop: Netty's {@code FastThreadLocalThread}s, for which
 * its allocators keep caches. JMH makes it by its name.
 */
public final class EventLoopThreads extends ThreadPoolExecutor {

  /** The constructor that JMH looks for. */
  public EventLoopThreads(int threads, String prefix) {
    super(
        threads,
        threads,
        0,
        TimeUnit.SECONDS,
        new LinkedBlockingQueue<>(threads),
        new DefaultThreadFactory(prefix));
  }
}
