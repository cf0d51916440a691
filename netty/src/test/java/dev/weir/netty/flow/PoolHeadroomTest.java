package dev.weir.netty.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.memory.Block;
import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class PoolHeadroomTest {
  private static final long MIB = 1 << 20;

  private final Pool pool = Pool.create(PoolOptions.withLimit(16 * MIB));

  @AfterEach
  void closePool() {
    assertThat(pool.liveBlockBytes()).isZero();
    pool.close();
  }

  @Test
  void isShortWhileLittleIsFree() {
    PoolHeadroom headroom = new PoolHeadroom(pool);
    assertThat(headroom.isShort()).isFalse();
    try (Block most = pool.allocate(14 * MIB)) {
      assertThat(headroom.isShort()).isFalse();
      try (Block little = pool.allocate(MIB / 2)) {
        assertThat(headroom.isShort()).isTrue();
        assertThat(most.size() + little.size()).isEqualTo(14 * MIB + MIB / 2);
      }
      assertThat(headroom.isShort()).isFalse();
    }
  }

  @Test
  void reliefComesWhenEnoughIsReleased() {
    PoolHeadroom headroom = new PoolHeadroom(pool, 2 * MIB, 4 * MIB, Duration.ofMinutes(10));
    Block most = pool.allocate(13 * MIB);
    CompletableFuture<Boolean> relief = headroom.relief().toCompletableFuture();
    assertThat(relief).isNotDone();
    most.release();
    assertThat(relief.join()).isTrue();
    // Nothing stays promised.
    pool.allocate(14 * MIB).release();
  }

  @Test
  void reliefEndsInVainAfterItsPatience() {
    PoolHeadroom headroom = new PoolHeadroom(pool, 2 * MIB, 4 * MIB, Duration.ofMillis(1));
    try (Block most = pool.allocate(13 * MIB)) {
      assertThat(most.size()).isEqualTo(13 * MIB);
      assertThat(headroom.relief().toCompletableFuture().join()).isFalse();
    }
  }

  @Test
  void aClosedPoolCannotTell() {
    PoolHeadroom headroom = new PoolHeadroom(pool);
    pool.close();
    assertThat(headroom.relief().toCompletableFuture()).isCompletedExceptionally();
  }

  @Test
  void thresholdsFollowTheLimit() {
    PoolHeadroom headroom = new PoolHeadroom(pool, 6 * MIB, 7 * MIB, Duration.ofMinutes(10));
    ReadGate gate = new ReadGate(headroom);
    EmbeddedChannel channel = new EmbeddedChannel(gate.newHandler());
    pool.setLimitBytes(4 * MIB);
    Block some = pool.allocate(MIB);
    channel.writeInbound("message");
    assertThat(gate.isClosed()).isFalse();

    Block more = pool.allocate(2 * MIB);
    channel.writeInbound("message");
    channel.runPendingTasks();
    assertThat(gate.isClosed()).isTrue();
    assertThat(channel.config().isAutoRead()).isFalse();
    more.release();
    // Told on another thread, until the test's timeout.
    while (!channel.config().isAutoRead() && !Thread.currentThread().isInterrupted()) {
      channel.runPendingTasks();
    }
    assertThat(gate.isClosed()).isFalse();
    assertThat(channel.config().isAutoRead()).isTrue();

    pool.setLimitBytes(16 * MIB);
    assertThat(headroom.isShort()).isFalse();
    more = pool.allocate(10 * MIB);
    assertThat(headroom.isShort()).isTrue();
    more.release();
    some.release();
    channel.close();
  }

  @Test
  void reliefIsWhatThePoolCanPromise() {
    assertThatThrownBy(() -> new PoolHeadroom(pool, MIB, 16 * MIB + 1, Duration.ofSeconds(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("reliefBytes: 16777217");
  }

  @Test
  void reliefIsNotLessThanShort() {
    assertThatThrownBy(() -> new PoolHeadroom(pool, 2, 1, Duration.ofSeconds(1)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
