package dev.weir.netty.buffer;

import dev.weir.memory.Pool;
import dev.weir.memory.heap.OwnedHeap;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.FastThreadLocal;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.internal.InternalThreadLocalMap;
import io.netty.util.internal.ThreadExecutorMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A heap of its own for each thread that is made for Netty and cleans up after itself; none for the
 * others, plain and virtual threads, which share the pool's stripes. A thread's heap hands its
 * slabs over when the thread ends.
 */
public final class ThreadHeaps extends FastThreadLocal<@Nullable OwnedHeap> {
  private final Pool pool;

  /** Heaps of {@code pool}, made on the first allocation of each thread. */
  public ThreadHeaps(Pool pool) {
    this.pool = pool;
  }

  @Nullable OwnedHeap current() {
    if (!(Thread.currentThread() instanceof FastThreadLocalThread thread)) {
      return null;
    }
    InternalThreadLocalMap locals = thread.threadLocalMap();
    return locals != null ? get(locals) : get();
  }

  /**
   * Hands over the slabs of the calling thread's heap, if it has one. Its next allocation makes
   * another.
   */
  public void closeCurrent() {
    remove();
  }

  /**
   * The calling thread's event loop; without one, the heap is trimmed only when its thread comes
   * by.
   */
  private static Executor currentOwner() {
    EventExecutor loop = ThreadExecutorMap.currentExecutor();
    return loop != null ? loop : task -> {};
  }

  @Override
  protected @Nullable OwnedHeap initialValue() {
    return FastThreadLocalThread.currentThreadWillCleanupFastThreadLocals() && !pool.isClosed()
        ? pool.ownedHeap(currentOwner())
        : null;
  }

  @Override
  protected void onRemoval(@Nullable OwnedHeap heap) {
    if (heap != null) {
      heap.close();
    }
  }
}
