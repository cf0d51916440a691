package dev.weir.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;

class TransportTest extends TransportContract {
  @RegisterExtension static final PoolUnderTest MEMORY = new PoolUnderTest();

  @Override
  PoolUnderTest memory() {
    return MEMORY;
  }

  /** A kernel, or the rules of a container, may have no io_uring. Then this is skipped. */
  @Test
  @EnabledOnOs(value = OS.LINUX, architectures = "amd64", disabledReason = "Linux's own transports")
  void onLinuxNoneIsMissing() {
    assertThat(TransportUnderTest.available()).contains(TransportUnderTest.EPOLL);
    assumeTrue(TransportUnderTest.IO_URING.isAvailable(), "io_uring cannot be used here");
  }
}
