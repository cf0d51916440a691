package dev.weir.netty.contract;

import dev.weir.memory.PoolOptions;
import dev.weir.netty.OnEventLoop;
import dev.weir.netty.PoolUnderTest;
import io.netty.buffer.ByteBuf;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Buffers of which many are samples of the pool's profile. */
class ProfiledBufferContractTest extends DirectBufferContract {
  @RegisterExtension
  static final PoolUnderTest MEMORY =
      new PoolUnderTest(PoolOptions.withLimit(256 << 20).withProfile(4 << 10));

  @RegisterExtension static final OnEventLoop THREAD = new OnEventLoop();

  @Override
  ByteBuf allocate(int capacity, int maxCapacity) {
    return MEMORY.allocator().directBuffer(capacity, maxCapacity);
  }
}
