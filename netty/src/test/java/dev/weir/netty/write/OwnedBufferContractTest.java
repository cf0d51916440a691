package dev.weir.netty.write;

import dev.weir.netty.PoolUnderTest;
import io.netty.buffer.AbstractByteBufTest;
import io.netty.buffer.ByteBuf;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Netty's contract of a buffer, over one that travels under a count of its own. */
class OwnedBufferContractTest extends AbstractByteBufTest {
  @RegisterExtension final PoolUnderTest memory = new PoolUnderTest();

  @Override
  protected ByteBuf newBuffer(int capacity, int maxCapacity) {
    return memory.releasedAtTheLatestAfter(
        new OwnedByteBuf(memory.allocator().directBuffer(capacity, maxCapacity)));
  }
}
