package dev.weir.netty.contract;

import dev.weir.netty.PoolUnderTest;
import io.netty.buffer.ByteBuf;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Heap buffers in slots, from the stripes that plain threads share. */
class HeapBufferContractTest extends HeapBufferContract {
  @RegisterExtension static final PoolUnderTest MEMORY = new PoolUnderTest();

  @Override
  ByteBuf allocate(int capacity, int maxCapacity) {
    return MEMORY.allocator().heapBuffer(capacity, maxCapacity);
  }
}
