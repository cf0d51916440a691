package dev.weir.netty;

import org.junit.jupiter.api.extension.RegisterExtension;

class TransportTest extends TransportContract {
  @RegisterExtension static final PoolUnderTest MEMORY = new PoolUnderTest();

  @Override
  PoolUnderTest memory() {
    return MEMORY;
  }
}
