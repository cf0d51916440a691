package dev.weir.netty.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.OnEventLoop;
import dev.weir.netty.PoolUnderTest;
import dev.weir.netty.buffer.LeakTrackedByteBuf;
import io.netty.buffer.ByteBuf;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetector.Level;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Buffers that the leak detector watches at level {@code SIMPLE}. */
class WatchedBufferContractTest extends DirectBufferContract {
  @RegisterExtension static final PoolUnderTest MEMORY = new PoolUnderTest();

  @RegisterExtension static final OnEventLoop THREAD = new OnEventLoop();

  private static Level levelBefore = Level.SIMPLE;

  @BeforeAll
  static void keepLevel() {
    levelBefore = ResourceLeakDetector.getLevel();
  }

  @BeforeEach
  void watch() {
    ResourceLeakDetector.setLevel(Level.SIMPLE);
  }

  @AfterEach
  void watchNoMore() {
    ResourceLeakDetector.setLevel(levelBefore);
  }

  /** One in 128 is drawn. */
  @Override
  ByteBuf allocate(int capacity, int maxCapacity) {
    for (int i = 0; i < 100_000; i++) {
      ByteBuf buffer = MEMORY.allocator().directBuffer(capacity, maxCapacity);
      if (buffer instanceof LeakTrackedByteBuf) {
        return buffer;
      }
      buffer.release();
    }
    throw new AssertionError("none of 100,000 buffers was watched");
  }

  @AfterAll
  static void nothingIsLeft() {
    assertThat(MEMORY.pool().liveBlockBytes()).isZero();
  }
}
