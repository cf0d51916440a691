package dev.weir.benchmarks.alloc;

import dev.weir.benchmarks.harness.EventLoopThreads;
import dev.weir.benchmarks.peer.Buffers;
import io.netty.util.concurrent.EventExecutor;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Event loops beside the one that is measured, as a service has them. Each has used the allocator
 * once, so that it has whatever an allocator keeps for a thread, and does nothing more.
 */
final class IdleLoops {
  private static final List<Integer> SIZES = List.of(256, 4 << 10, 64 << 10);

  private final EventLoopThreads loops;

  private IdleLoops(int count) {
    loops = new EventLoopThreads(count, "idle");
  }

  /** Starts {@code count} loops, at least one, and waits until each has used {@code buffers}. */
  static IdleLoops start(int count, Buffers<?> buffers) {
    IdleLoops idle = new IdleLoops(count);
    for (EventExecutor loop : idle.loops) {
      loop.submit(() -> use(buffers)).syncUninterruptibly();
    }
    return idle;
  }

  private static <B> void use(Buffers<B> buffers) {
    for (int bytes : SIZES) {
      B buffer = buffers.allocate(bytes);
      buffers.touch(buffer, bytes);
      buffers.release(buffer);
    }
  }

  /** Ends the loops, and waits for that. */
  void end() {
    loops.shutdownGracefully(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
  }
}
