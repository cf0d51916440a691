package dev.weir.netty.contract;

import dev.weir.netty.PoolUnderTest;
import io.netty.buffer.ByteBuf;
import java.nio.ByteOrder;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Buffers in slots, from the stripes that plain threads share, in little-endian order. */
class SharedHeapBufferContractTest extends DirectBufferContract {
  @RegisterExtension static final PoolUnderTest MEMORY = new PoolUnderTest();

  @Override
  @SuppressWarnings("deprecation")
  ByteBuf allocate(int capacity, int maxCapacity) {
    return MEMORY.allocator().directBuffer(capacity, maxCapacity).order(ByteOrder.LITTLE_ENDIAN);
  }
}
