package dev.weir.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.PoolOptions;
import dev.weir.memory.hardening.Hardening;
import dev.weir.memory.hardening.MisuseReport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The same in hardened buffers: the transports make no mistake. */
class HardenedTransportTest extends TransportContract {
  @RegisterExtension
  static final PoolUnderTest HARDENED =
      new PoolUnderTest(PoolOptions.withLimit(256 << 20).withHardening(Hardening.full()));

  @Override
  PoolUnderTest memory() {
    return HARDENED;
  }

  @AfterEach
  void nothingWasFound() {
    HARDENED.pool().trim();
    assertThat(HARDENED.pool().misuses()).isEqualTo(MisuseReport.EMPTY);
  }
}
