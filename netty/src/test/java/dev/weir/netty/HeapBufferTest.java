package dev.weir.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.BudgetExceededError;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultEventLoop;
import io.netty.util.IllegalReferenceCountException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Heap buffers are counted by their slots, limited, and their arrays used again. */
class HeapBufferTest {
  private static final int LARGE = 1 << 20;

  @RegisterExtension static final PoolUnderTest MEMORY = new PoolUnderTest();

  private final WeirAllocator allocator = MEMORY.allocator();

  @Test
  void theBudgetCountsTheArrayUntilTheRelease() {
    Budget tls = MEMORY.pool().rootBudget().child("tls", 1 << 20);
    ByteBufAllocator view = allocator.charging(tls);
    ByteBuf buffer = view.heapBuffer(1_000);
    assertThat(buffer.alloc()).isSameAs(view);
    assertThat(tls.heapBytes()).isEqualTo(1_024);
    assertThat(tls.chargedBytes()).isZero();
    buffer.capacity(3_000);
    assertThat(tls.heapBytes()).isEqualTo(3_072);
    assertThat(allocator.metric().usedHeapMemory()).isEqualTo(3_072);
    buffer.release();
    assertThat(tls.heapBytes()).isZero();
  }

  @Test
  void aViewPrefersHeapBuffersAsItsAllocatorDoes() {
    Budget tls = MEMORY.pool().rootBudget().child("preferring heap", 1 << 20);
    ByteBufAllocator view = WeirAllocator.preferringHeap(MEMORY.pool()).charging(tls);
    ByteBuf buffer = view.buffer(1_000);
    ByteBuf composite = view.compositeBuffer();

    assertThat(buffer.isDirect()).isFalse();
    assertThat(tls.heapBytes()).isEqualTo(1_024);
    assertThat(tls.chargedBytes()).isZero();
    assertThat(composite.capacity(100).isDirect()).isFalse();
    assertThat(allocator.charging(tls).buffer(1_000))
        .satisfies(direct -> {
          assertThat(direct.isDirect()).isTrue();
          assertThat(direct.release()).isTrue();
        });

    composite.release();
    buffer.release();
    assertThat(tls.heapBytes()).isZero();
  }

  @Test
  void aRefusalLeavesTheBufferAndTheCountIntact() {
    Budget narrow = MEMORY.pool().rootBudget().child("narrow heap", 1 << 20);
    narrow.setHeapLimitBytes(10_000);
    ByteBuf buffer = allocator.charging(narrow).heapBuffer(6_000).writeLong(42);
    assertThatThrownBy(() -> buffer.capacity(20_000))
        .isInstanceOf(BudgetExceededError.class)
        .hasMessageContaining("narrow heap")
        .hasMessageContaining("heap");
    assertThatThrownBy(() -> allocator.charging(narrow).heapBuffer(6_000))
        .isInstanceOf(BudgetExceededError.class);
    assertThat(buffer.capacity()).isEqualTo(6_000);
    assertThat(buffer.readLong()).isEqualTo(42);
    assertThat(narrow.heapBytes()).isEqualTo(6_144);
    buffer.release();
  }

  @Test
  void toShrinkNeedsNoRoom() {
    Budget narrow = MEMORY.pool().rootBudget().child("narrow heap", 1 << 20);
    narrow.setHeapLimitBytes(10_000);
    ByteBuf buffer = allocator.charging(narrow).heapBuffer(9_000).writeLong(42).writerIndex(9_000);

    buffer.capacity(5_000);

    assertThat(buffer.capacity()).isEqualTo(5_000);
    assertThat(buffer.writerIndex()).isEqualTo(5_000);
    assertThat(buffer.readLong()).isEqualTo(42);
    assertThat(narrow.heapBytes()).as("it keeps its slot").isEqualTo(9_216);
    buffer.release();
    assertThat(narrow.heapBytes()).isZero();
  }

  @Test
  void anArrayOfItsOwnIsGivenUpWhereThereIsRoomForBoth() {
    Budget narrow = MEMORY.pool().rootBudget().child("narrow heap", 1 << 20);
    narrow.setHeapLimitBytes(LARGE + 1_024);
    ByteBuf buffer = allocator.charging(narrow).heapBuffer(LARGE).writeLong(42);

    buffer.capacity(2_000);
    assertThat(narrow.heapBytes()).as("no room for both").isEqualTo(LARGE);
    buffer.capacity(1_000);

    assertThat(narrow.heapBytes()).isEqualTo(1_024);
    assertThat(buffer.capacity()).isEqualTo(1_000);
    assertThat(buffer.readLong()).isEqualTo(42);
    buffer.release();
    assertThat(narrow.heapBytes()).isZero();
  }

  @Test
  void buffersShareAnArray() {
    ByteBuf first = allocator.heapBuffer(1_000);
    ByteBuf second = allocator.heapBuffer(1_000);

    assertThat(second.array()).isSameAs(first.array());
    assertThat(second.arrayOffset()).isNotEqualTo(first.arrayOffset());
    first.writeLong(1);
    second.writeLong(2);
    assertThat(first.readLong()).isEqualTo(1);
    assertThat(second.readLong()).isEqualTo(2);
    first.release();
    second.release();
  }

  @Test
  void theBufferOfASlotIsOpenedAgain() {
    ByteBuf first = allocator.heapBuffer(1_000, 2_000).writeLong(1).markWriterIndex();
    first.release();
    assertThatThrownBy(first::release).isInstanceOf(IllegalReferenceCountException.class);
    assertThatThrownBy(first::array).isInstanceOf(IllegalReferenceCountException.class);

    ByteBuf second = allocator.heapBuffer(990);

    assertThat(second).isSameAs(first);
    assertThat(second.capacity()).isEqualTo(990);
    assertThat(second.maxCapacity()).isEqualTo(Integer.MAX_VALUE);
    assertThat(second.resetWriterIndex().writerIndex()).as("marks are of one life").isZero();
    second.release();
  }

  @Test
  void whereGrowthHasLeftItsSlotThereIsAnotherBuffer() {
    ByteBuf grown = allocator.heapBuffer(1_000).writeLong(42);
    int slot = grown.arrayOffset();
    byte[] array = grown.array();
    grown.capacity(5_000);

    ByteBuf next = allocator.heapBuffer(1_000).writeLong(43);
    assertThat(next.array()).isSameAs(array);
    assertThat(next.arrayOffset()).isEqualTo(slot);
    assertThat(next).isNotSameAs(grown);
    assertThat(grown.readLong()).isEqualTo(42);
    grown.release();
    assertThat(next.refCnt()).isEqualTo(1);
    ByteBuf inItsPlace = allocator.heapBuffer(5_000);
    assertThat(inItsPlace).isNotSameAs(grown);
    inItsPlace.release();
    next.release();
  }

  @Test
  void growthWithinASlotIsInPlace() {
    ByteBuf buffer = allocator.heapBuffer(900, 950).writeLong(42);
    byte[] array = buffer.array();
    int slot = buffer.arrayOffset();
    assertThat(buffer.maxFastWritableBytes()).isEqualTo(950 - 8);

    buffer.capacity(950);

    assertThat(buffer.array()).isSameAs(array);
    assertThat(buffer.arrayOffset()).isEqualTo(slot);
    buffer.release();
  }

  @Test
  void aLargeArrayIsUsedAgainUntilATrim() {
    byte[] array = arrayOfReleased(LARGE);
    assertThat(arrayOfReleased(LARGE)).isSameAs(array);
    assertThat(arrayOfReleased(LARGE - 1)).isSameAs(array);
    assertThat(arrayOfReleased(LARGE + 1)).hasSize(LARGE + 1);
    assertThat(arrayOfReleased(LARGE)).isSameAs(array);
    allocator.trim();
    assertThat(arrayOfReleased(LARGE)).isNotSameAs(array);
  }

  @Test
  void aRefusalNamesTheHeapLimitAndWhereItIsSet() {
    try (Pool pool =
        Pool.create(PoolOptions.withLimit(1 << 20).withName("pool").withHeapLimit(5_000))) {
      Budget budget = pool.rootBudget().child("arrays", Budget.UNLIMITED);
      ByteBufAllocator view = new WeirAllocator(pool).charging(budget);
      ByteBuf held = view.heapBuffer(3_000);

      assertThatExceptionOfType(BudgetExceededError.class)
          .isThrownBy(() -> view.heapBuffer(2_001))
          .withMessage(
              "budget 'pool' has no room for 2,001 bytes of heap buffers: heap limit 5,000,"
                  + " held 3,072. Raise it (PoolOptions.withHeapLimit, Budget.setHeapLimitBytes),"
                  + " or release or admit less.")
          .satisfies(error -> assertThat(error.budget()).isSameAs(pool.rootBudget()));
      assertThat(budget.heapBytes()).isEqualTo(3_072);
      budget.setHeapLimitBytes(4_000);
      assertThatExceptionOfType(BudgetExceededError.class)
          .isThrownBy(() -> view.heapBuffer(1_001))
          .withMessage(
              "budget 'pool/arrays' has no room for 1,001 bytes of heap buffers: heap limit 4,000,"
                  + " held 3,072. Raise it (Budget.setHeapLimitBytes), or release or admit less.");
      budget.close();
      assertThatExceptionOfType(BudgetExceededError.class)
          .isThrownBy(() -> view.heapBuffer(1))
          .withMessage(
              "budget 'pool/arrays' has no room for 1 bytes of heap buffers: closed, held 3,072."
                  + " It stays so: charge another budget.");
      held.release();
      assertThat(pool.rootBudget().heldHeapBytes()).isZero();
    }
  }

  @Test
  void anEndedLoopsArraysAreTheNextOnes() throws Exception {
    Pool pool = Pool.create(PoolOptions.withLimit(1 << 20));
    WeirAllocator own = new WeirAllocator(pool);
    DefaultEventLoop first = new DefaultEventLoop();
    ByteBuf live = first.submit(() -> own.heapBuffer(1_000)).get();
    first.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    DefaultEventLoop second = new DefaultEventLoop();

    ByteBuf next = second.submit(() -> own.heapBuffer(1_000)).get();

    assertThat(next.array()).isSameAs(live.array());
    next.release();
    live.release();
    second.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    pool.close();
    assertThat(pool.rootBudget().heldHeapBytes()).isZero();
  }

  private byte[] arrayOfReleased(int bytes) {
    ByteBuf buffer = allocator.heapBuffer(bytes, bytes);
    byte[] array = buffer.array();
    buffer.release();
    return array;
  }
}
