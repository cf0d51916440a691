package dev.weir.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.weir.memory.Block;
import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.BudgetExceededError;
import io.netty.buffer.ByteBuf;
import io.netty.util.IllegalReferenceCountException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Sizes at the ends of what there is, and what belongs to others. Hardly any of it is touched. */
class BadInputTest {
  private static final long LIMIT_BYTES = 4L << 30;

  private final Pool pool = Pool.create(PoolOptions.withLimit(LIMIT_BYTES).withName("pool"));
  private final WeirAllocator allocator = new WeirAllocator(pool);

  @AfterEach
  void everythingIsReleased() {
    assertThat(pool.liveBlockBytes()).isZero();
    assertThat(pool.rootBudget().heapBytes()).isZero();
    pool.checkInvariants();
    allocator.close();
    pool.close();
  }

  @Test
  void capacitiesOutOfRangeAreRefused() {
    for (int capacity : new int[] {-1, Integer.MIN_VALUE}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> allocator.directBuffer(capacity))
          .withMessageContaining(Integer.toString(capacity));
      assertThatIllegalArgumentException()
          .isThrownBy(() -> allocator.heapBuffer(capacity))
          .withMessageContaining(Integer.toString(capacity));
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> allocator.directBuffer(100, 99))
        .withMessageContaining("99");
    ByteBuf buffer = allocator.directBuffer(100, 1_000);
    for (int capacity : new int[] {-1, 1_001, Integer.MAX_VALUE}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> buffer.capacity(capacity))
          .withMessageContaining(Integer.toString(capacity));
    }
    assertThat(buffer.capacity()).isEqualTo(100);
    buffer.release();
  }

  @Test
  void aBufferMayHaveAsManyBytesAsAnIntegerCounts() {
    ByteBuf buffer = allocator.directBuffer(Integer.MAX_VALUE);
    assertThat(buffer.capacity()).isEqualTo(Integer.MAX_VALUE);
    buffer.setByte(0, 1).setByte(Integer.MAX_VALUE - 1, 2);
    assertThat(buffer.getByte(Integer.MAX_VALUE - 1)).isEqualTo((byte) 2);
    assertThatExceptionOfType(IndexOutOfBoundsException.class)
        .isThrownBy(() -> buffer.setByte(Integer.MAX_VALUE, 3));
    assertThatExceptionOfType(IndexOutOfBoundsException.class)
        .isThrownBy(() -> buffer.setLong(Integer.MAX_VALUE - 7, 3));
    assertThatExceptionOfType(BudgetExceededError.class)
        .isThrownBy(() -> allocator.directBuffer(Integer.MAX_VALUE))
        .withMessageContaining(
            "budget 'pool' has no room for 2,147,483,647 bytes of direct memory");
    buffer.capacity(10).release();

    ByteBuf grows = allocator.directBuffer(100_000);
    grows.setByte(99_999, 5);
    grows.capacity(Integer.MAX_VALUE);
    assertThat(grows.getByte(99_999)).isEqualTo((byte) 5);
    grows.writerIndex(Integer.MAX_VALUE);
    assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> grows.writeByte(1));
    grows.release();
  }

  @Test
  void aBlockThatIsLargerMakesABufferOfAPartOfIt() {
    Block block = pool.allocate(3L << 30);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> allocator.wrap(block, -1, Integer.MAX_VALUE));

    ByteBuf buffer = allocator.wrap(block, 1_000, Integer.MAX_VALUE);

    buffer.capacity(Integer.MAX_VALUE).setByte(Integer.MAX_VALUE - 1, 1);
    buffer.release();
    assertThatIllegalStateException()
        .isThrownBy(() -> allocator.wrap(block, 1, 1))
        .withMessageContaining("released already");
  }

  @Test
  void whatBelongsToAnotherPoolIsRefused() {
    try (Pool other = Pool.create(PoolOptions.withLimit(1 << 20).withName("other"))) {
      Budget foreign = other.rootBudget().child("feature", Budget.UNLIMITED);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> allocator.charging(foreign))
          .withMessage("budget 'other/feature' is not of pool 'pool'");
      Block block = other.allocate(100);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> allocator.wrap(block, 100, 1_000))
          .withMessage("budget 'other' is not of pool 'pool'");
      block.release();
    }
  }

  @Test
  void aClosedBudgetRefusesBuffersOfBothKinds() {
    Budget feature = pool.rootBudget().child("feature", Budget.UNLIMITED);
    var view = allocator.charging(feature);
    ByteBuf lives = view.directBuffer(100);
    feature.close();

    assertThatExceptionOfType(BudgetExceededError.class)
        .isThrownBy(() -> view.directBuffer(100))
        .withMessageContaining("'pool/feature'")
        .withMessageContaining("closed");
    assertThatExceptionOfType(BudgetExceededError.class)
        .isThrownBy(() -> view.heapBuffer(100))
        .withMessageContaining("'pool/feature'");
    assertThatExceptionOfType(BudgetExceededError.class).isThrownBy(() -> lives.capacity(1_000));
    lives.release();
    assertThat(feature.chargedBytes()).isZero();
  }

  @Test
  void whatHasBeenReleasedIsRefused() {
    ByteBuf buffer = allocator.directBuffer(100_000);
    ByteBuf slice = buffer.slice(0, 10);
    buffer.release();

    for (Runnable use :
        new Runnable[] {
          buffer::release,
          buffer::retain,
          slice::release,
          () -> buffer.getByte(0),
          () -> slice.getByte(0),
          () -> buffer.capacity(10),
          () -> buffer.nioBuffer(0, 10),
          () -> buffer.copy()
        }) {
      assertThatExceptionOfType(IllegalReferenceCountException.class).isThrownBy(use::run);
    }
  }

  @Test
  void buffersOfAClosedPoolShrinkAndStayAndDoNotGrow() {
    ByteBuf run = allocator.directBuffer(1 << 20).writeLong(42);
    ByteBuf slot = allocator.directBuffer(1_000).writeLong(43);
    allocator.close();
    pool.close();

    run.capacity(100_000);
    slot.capacity(100);
    assertThatIllegalStateException()
        .isThrownBy(() -> slot.capacity(2_000))
        .withMessage("pool 'pool' is closed");
    assertThatIllegalStateException().isThrownBy(() -> run.capacity(2 << 20));

    assertThat(run.capacity()).isEqualTo(100_000);
    assertThat(slot.capacity()).isEqualTo(100);
    assertThat(run.readLong() + slot.readLong()).isEqualTo(85);
    run.release();
    slot.release();
  }
}
