package dev.weir.netty.contract;

import dev.weir.netty.OnEventLoop;
import dev.weir.netty.PoolUnderTest;
import io.netty.buffer.ByteBuf;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Heap buffers in slots, from the arrays of an event loop. */
class LoopHeapBufferContractTest extends HeapBufferContract {
  @RegisterExtension static final PoolUnderTest MEMORY = new PoolUnderTest();

  @RegisterExtension static final OnEventLoop THREAD = new OnEventLoop();

  @Override
  ByteBuf allocate(int capacity, int maxCapacity) {
    return MEMORY.allocator().heapBuffer(capacity, maxCapacity);
  }
}
