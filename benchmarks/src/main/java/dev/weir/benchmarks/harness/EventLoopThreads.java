package dev.weir.benchmarks.harness;

import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;

/**
 * Gives JMH event loops to run on. Threads that are merely made like theirs will not do: Netty's
 * adaptive allocator has caches only for threads that belong to an executor of Netty's, and Weir
 * posts its requests to it. JMH makes the group by its name, and submits one task to each loop.
 */
public final class EventLoopThreads extends MultiThreadIoEventLoopGroup {

  /** The constructor that JMH looks for. */
  public EventLoopThreads(int threads, String prefix) {
    super(threads, new DefaultThreadFactory(prefix), NioIoHandler.newFactory());
  }
}
