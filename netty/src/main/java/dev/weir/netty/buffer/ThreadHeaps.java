package dev.weir.netty.buffer;

import dev.weir.memory.AllocatorSupport;
import dev.weir.memory.heap.OwnedHeap;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.FastThreadLocal;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.internal.InternalThreadLocalMap;
import io.netty.util.internal.ThreadExecutorMap;
import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;

/**
 * A heap of its own for each event loop whose thread is made for Netty and cleans up after itself;
 * none for other threads, which share the pool's stripes: plain and virtual ones, and workers of
 * pools with Netty's thread factory. Nobody could ask a worker that waits for its next job for the
 * memory that others have released to its heap. A thread's heap hands its slabs over when the
 * thread ends; until then the thread refers to the pool's memory, closed or not.
 */
final class ThreadHeaps extends FastThreadLocal<@Nullable OwnedHeap> {
  private final AllocatorSupport pool;

  /** Weakly: a thread refers to its variables until it ends. */
  private final WeakReference<ThreadKnowingAllocator> allocator;

  /**
   * Heaps of {@code pool}, made on the first allocation of each event loop's thread.
   *
   * @param allocator told when there is a new heap, and by a thread that gives its heap up
   */
  ThreadHeaps(AllocatorSupport pool, ThreadKnowingAllocator allocator) {
    this.pool = pool;
    this.allocator = new WeakReference<>(allocator);
  }

  @Nullable OwnedHeap current() {
    if (!(Thread.currentThread() instanceof FastThreadLocalThread thread)) {
      return null;
    }
    InternalThreadLocalMap locals = thread.threadLocalMap();
    OwnedHeap heap = locals != null ? get(locals) : get();
    return heap != null ? heap : lateHeap();
  }

  /** Of a thread that had none at its first allocation, and has become an event loop's since. */
  private @Nullable OwnedHeap lateHeap() {
    OwnedHeap heap = initialValue();
    if (heap != null) {
      set(heap);
    }
    return heap;
  }

  /**
   * Hands over the slabs of the calling thread's heap, if it has one. Its next allocation makes
   * another.
   */
  void closeCurrent() {
    remove();
  }

  @SuppressWarnings("deprecation") // What took its place is not in Netty 4.1.
  @Override
  protected @Nullable OwnedHeap initialValue() {
    EventExecutor loop = ThreadExecutorMap.currentExecutor();
    if (loop == null
        || !FastThreadLocalThread.willCleanupFastThreadLocals(Thread.currentThread())
        || pool.isClosed()) {
      return null;
    }
    OwnedHeap heap = pool.ownedHeap(loop);
    ThreadKnowingAllocator told = allocator.get();
    if (told != null) {
      told.lookForThreads();
    }
    return heap;
  }

  @Override
  protected void onRemoval(@Nullable OwnedHeap heap) {
    if (heap == null) {
      return;
    }
    ThreadKnowingAllocator told = allocator.get();
    if (told != null) {
      told.leavePlace();
    }
    heap.close();
  }
}
