package dev.weir.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.memory.Block;
import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** What an allocator owns and gives back. */
class AllocatorLifeTest {
  private static final long LIMIT_BYTES = 64L << 20;
  private static final Duration SOON = Duration.ofSeconds(60);

  @Test
  void trimGivesBackEverythingThatIsFree() {
    try (WeirAllocator allocator = WeirAllocator.withLimit(LIMIT_BYTES)) {
      ByteBuf slot = allocator.directBuffer(1_000).writeLong(1);
      ByteBuf run = allocator.directBuffer(1_000_000).writeZero(1_000_000);
      assertThat(allocator.pool().residentBytes()).isGreaterThan(1_000_000);
      slot.release();
      run.release();
      allocator.trim();
      assertThat(allocator.pool().residentBytes()).isZero();
    }
  }

  @Test
  void closingEndsAPoolOfItsOwn() {
    WeirAllocator allocator = WeirAllocator.withLimit(LIMIT_BYTES);
    ByteBuf buffer = allocator.directBuffer(1_000).writeLong(42);
    allocator.close();
    assertThat(buffer.readLong()).isEqualTo(42);
    buffer.release();
    assertThat(allocator.pool().liveBlockBytes()).isZero();
    assertThatThrownBy(() -> allocator.directBuffer(1_000))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void aBufferOfAClosedPoolShrinksInItsBlock() {
    WeirAllocator allocator = WeirAllocator.withLimit(LIMIT_BYTES);
    ByteBuf buffer = allocator.directBuffer(1_000_000).writeLong(42);
    allocator.close();

    buffer.capacity(1_000);

    assertThat(buffer.capacity()).isEqualTo(1_000);
    assertThat(buffer.readLong()).isEqualTo(42);
    buffer.release();
    assertThat(allocator.pool().liveBlockBytes()).isZero();
  }

  @Test
  void aBlockOfAClosedPoolBecomesABufferOnAnyThread() throws InterruptedException {
    WeirAllocator allocator = WeirAllocator.withLimit(LIMIT_BYTES);
    Block block = allocator.pool().allocate(1_000);
    allocator.close();
    FutureTask<ByteBuf> wrap = new FutureTask<>(() -> allocator.wrap(block, 8, 8));
    new FastThreadLocalThread(wrap).start();

    assertThat(wrap).succeedsWithin(SOON);
    wrap.resultNow().release();
    assertThat(allocator.pool().liveBlockBytes()).isZero();
  }

  @Test
  void closingLeavesAPoolOfSomebodyElseOpen() {
    try (Pool pool = Pool.create(PoolOptions.withLimit(LIMIT_BYTES))) {
      WeirAllocator allocator = new WeirAllocator(pool);
      allocator.directBuffer(1_000).release();
      allocator.close();
      pool.allocate(1_000).release();
    }
  }

  @Test
  void compositesAreMadeOfItsBuffers() {
    try (WeirAllocator allocator = WeirAllocator.withLimit(LIMIT_BYTES)) {
      CompositeByteBuf composite = allocator.compositeBuffer();
      composite.addComponent(true, allocator.directBuffer(8).writeLong(1));
      composite.addComponent(true, allocator.directBuffer(100).writeLong(2).readSlice(8));
      composite.writeLong(3);
      assertThat(composite.alloc()).isSameAs(allocator);
      assertThat(composite.readLong() + composite.readLong() + composite.readLong()).isEqualTo(6);
      composite.release();
      assertThat(allocator.pool().liveBlockBytes()).isZero();
    }
  }

  @Test
  void theEmptyBufferTakesNoMemory() {
    try (WeirAllocator allocator = WeirAllocator.withLimit(LIMIT_BYTES)) {
      ByteBuf empty = allocator.directBuffer(0, 0);
      assertThat(empty.isDirect()).isTrue();
      assertThat(allocator.pool().reservationBytes()).isZero();
      empty.release();

      ByteBuf growable = allocator.directBuffer(0, 10);
      assertThat(growable.capacity()).isZero();
      growable.writeLong(1);
      growable.release();
      assertThat(allocator.pool().liveBlockBytes()).isZero();
    }
  }
}
