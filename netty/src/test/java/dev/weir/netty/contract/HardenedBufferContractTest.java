package dev.weir.netty.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.PoolOptions;
import dev.weir.memory.hardening.Hardening;
import dev.weir.memory.hardening.Misuse.Kind;
import dev.weir.netty.OnEventLoop;
import dev.weir.netty.PoolUnderTest;
import io.netty.buffer.ByteBuf;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Buffers that are all hardened: their users notice nothing, and what Weir itself does is right.
 */
class HardenedBufferContractTest extends DirectBufferContract {
  @RegisterExtension
  static final PoolUnderTest MEMORY =
      new PoolUnderTest(PoolOptions.withLimit(256 << 20).withHardening(Hardening.full()));

  @RegisterExtension static final OnEventLoop THREAD = new OnEventLoop();

  @Override
  ByteBuf allocate(int capacity, int maxCapacity) {
    return MEMORY.allocator().directBuffer(capacity, maxCapacity);
  }

  /** A hardened block is as long as it was asked for: what lies behind is watched. */
  @Test
  @Override
  void maxFastWritableBytesEndAtTheMaximumCapacity() {
    ByteBuf buffer = newBuffer(150, 151);
    assertThat(buffer.maxFastWritableBytes()).isEqualTo(150);
    buffer.release();
  }

  @AfterAll
  static void nobodyHasWrittenWhereHeMayNot() {
    MEMORY.pool().trim();
    assertThat(MEMORY.pool().misuses().counts())
        .containsKey(Kind.USE_AFTER_RELEASE)
        .doesNotContainKeys(Kind.OVERRUN, Kind.WRITE_AFTER_RELEASE);
  }
}
