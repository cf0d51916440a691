package dev.weir.netty.buffer;

import dev.weir.memory.array.ArrayHeap;
import dev.weir.memory.array.ArrayPool;
import io.netty.util.concurrent.FastThreadLocal;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.internal.InternalThreadLocalMap;
import io.netty.util.internal.ThreadExecutorMap;
import org.jspecify.annotations.Nullable;

/**
 * What {@link ThreadHeaps} is for direct buffers, for heap buffers: a heap of its own for each
 * event loop whose thread is made for Netty and cleans up after itself; none for other threads,
 * which share stripes. The heap of a thread that ends is another's later.
 */
final class ThreadArrays extends FastThreadLocal<@Nullable ArrayHeap> {
  private final ArrayPool arrays;

  ThreadArrays(ArrayPool arrays) {
    this.arrays = arrays;
  }

  @Nullable ArrayHeap current() {
    if (!(Thread.currentThread() instanceof FastThreadLocalThread thread)) {
      return null;
    }
    InternalThreadLocalMap locals = thread.threadLocalMap();
    ArrayHeap heap = locals != null ? get(locals) : get();
    return heap != null ? heap : lateHeap();
  }

  /** Of a thread that had none at its first allocation, and has become an event loop's since. */
  private @Nullable ArrayHeap lateHeap() {
    ArrayHeap heap = initialValue();
    if (heap != null) {
      set(heap);
    }
    return heap;
  }

  @SuppressWarnings("deprecation") // What took its place is not in Netty 4.1.
  @Override
  protected @Nullable ArrayHeap initialValue() {
    boolean isLoop =
        ThreadExecutorMap.currentExecutor() != null
            && FastThreadLocalThread.willCleanupFastThreadLocals(Thread.currentThread());
    return isLoop ? arrays.ownedHeap() : null;
  }

  @Override
  protected void onRemoval(@Nullable ArrayHeap heap) {
    if (heap != null) {
      arrays.abandon(heap);
    }
  }
}
