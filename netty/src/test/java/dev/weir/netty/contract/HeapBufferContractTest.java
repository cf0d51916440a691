package dev.weir.netty.contract;

import dev.weir.netty.PoolUnderTest;
import io.netty.buffer.AbstractByteBufTest;
import io.netty.buffer.ByteBuf;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Heap buffers, counted by the pool. */
class HeapBufferContractTest extends AbstractByteBufTest {
  @RegisterExtension static final PoolUnderTest MEMORY = new PoolUnderTest();

  @Override
  protected ByteBuf newBuffer(int capacity, int maxCapacity) {
    return MEMORY.allocator().heapBuffer(capacity, maxCapacity);
  }
}
