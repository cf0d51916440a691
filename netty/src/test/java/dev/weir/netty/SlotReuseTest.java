package dev.weir.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.memory.Block;
import dev.weir.memory.budget.Budget;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.IllegalReferenceCountException;
import io.netty.util.ResourceLeakDetector;
import java.nio.ByteOrder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A slot keeps its buffer object, and nothing of one life shows in the next. */
class SlotReuseTest {
  @RegisterExtension static final PoolUnderTest MEMORY = new PoolUnderTest();
  @RegisterExtension static final OnEventLoop THREAD = new OnEventLoop();

  private final WeirAllocator allocator = MEMORY.allocator();
  private ResourceLeakDetector.Level levelBefore;

  @BeforeEach
  void trackNothing() {
    levelBefore = ResourceLeakDetector.getLevel();
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
  }

  @AfterEach
  void trackAsBefore() {
    ResourceLeakDetector.setLevel(levelBefore);
  }

  @Test
  void theSameSlotGivesTheSameObject() {
    ByteBuf first = allocator.directBuffer(300);
    long address = first.memoryAddress();
    first.release();
    ByteBuf second = allocator.directBuffer(310);
    assertThat(second.memoryAddress()).isEqualTo(address);
    assertThat(second).isSameAs(first);
    second.release();
  }

  @Test
  void indicesMarksAndCapacitiesStartAnew() {
    ByteBuf first = allocator.directBuffer(300, 320);
    first.writeZero(200).skipBytes(100).markReaderIndex().markWriterIndex();
    first.retain(3);
    first.release(4);
    ByteBuf second = allocator.directBuffer(310, 1_000);
    assertThat(second).isSameAs(first);
    assertThat(second.readerIndex()).isZero();
    assertThat(second.writerIndex()).isZero();
    assertThat(second.capacity()).isEqualTo(310);
    assertThat(second.maxCapacity()).isEqualTo(1_000);
    assertThat(second.refCnt()).isEqualTo(1);
    assertThat(second.resetReaderIndex().resetWriterIndex().writerIndex()).isZero();
    second.release();
  }

  @Test
  void theByteOrderOfItsNioBufferStartsAnew() {
    ByteBuf first = allocator.directBuffer(300);
    first.internalNioBuffer(0, 8).order(ByteOrder.LITTLE_ENDIAN);
    first.release();
    ByteBuf second = allocator.directBuffer(300).writeLong(1);
    assertThat(second).isSameAs(first);
    assertThat(second.internalNioBuffer(0, 8).getLong()).isEqualTo(1);
    second.release();
  }

  @Test
  void aSecondReleaseThrowsUntilTheSlotIsUsedAgain() {
    ByteBuf buffer = allocator.directBuffer(300);
    buffer.release();
    assertThatThrownBy(buffer::release).isInstanceOf(IllegalReferenceCountException.class);
    assertThatThrownBy(() -> buffer.release(2)).isInstanceOf(IllegalReferenceCountException.class);
    assertThatThrownBy(() -> buffer.setInt(0, 1))
        .isInstanceOf(IllegalReferenceCountException.class);
    ByteBuf again = allocator.directBuffer(300);
    again.setInt(0, 1).release();
  }

  @Test
  void allocatorAndBudgetAreThoseOfTheCurrentLife() {
    Budget feature = MEMORY.pool().rootBudget().child("feature", 1 << 20);
    ByteBufAllocator view = allocator.charging(feature);
    ByteBuf charged = view.directBuffer(300);
    assertThat(charged.alloc()).isSameAs(view);
    assertThat(feature.chargedBytes()).isEqualTo(320);
    charged.capacity(5_000);
    assertThat(feature.chargedBytes()).isEqualTo(5_120);
    charged.release();
    assertThat(feature.chargedBytes()).isZero();

    ByteBuf plain = allocator.directBuffer(300);
    plain.release();
    ByteBuf again = view.directBuffer(300);
    assertThat(again).isSameAs(plain);
    assertThat(again.alloc()).isSameAs(view);
    again.release();
    plain = allocator.directBuffer(300);
    assertThat(plain).isSameAs(again);
    assertThat(plain.alloc()).isSameAs(allocator);
    assertThat(feature.chargedBytes()).isZero();
    plain.release();
  }

  @Test
  void aBufferThatMovesLeavesItsSlotToAnother() {
    ByteBuf small = allocator.directBuffer(300).writeLong(1);
    ByteBuf large = allocator.directBuffer(3_000);
    long smallAddress = small.memoryAddress();
    long largeAddress = large.memoryAddress();
    large.release();

    small.capacity(3_000);
    assertThat(small.memoryAddress()).isEqualTo(largeAddress);
    ByteBuf other = allocator.directBuffer(300);
    assertThat(other.memoryAddress()).isEqualTo(smallAddress);
    assertThat(other).isNotSameAs(small);
    other.writeLong(2);
    assertThat(small.readLong()).isEqualTo(1);
    assertThat(other.readLong()).isEqualTo(2);
    assertThat(other.nioBuffer(0, 8).getLong()).isEqualTo(2);
    small.release();
    other.release();

    ByteBuf rested = allocator.directBuffer(3_000);
    assertThat(rested).as("the slot's own").isSameAs(large);
    rested.release();
    assertThatThrownBy(small::release).isInstanceOf(IllegalReferenceCountException.class);
  }

  @Test
  void aWrappedBlockIsReleasedWithItsBuffer() {
    Block block = MEMORY.pool().allocate(5_000);
    ByteBuf buffer = allocator.wrap(block, 0, 10_000);
    assertThat(buffer.memoryAddress()).isEqualTo(block.address());
    assertThat(buffer.maxFastWritableBytes()).isEqualTo((int) block.size());
    buffer.writeZero(10_000).release();
    assertThatThrownBy(block::release).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aWrappedBlockStaysWithItsBudget() {
    Budget feature = MEMORY.pool().rootBudget().child("wrapped", 1 << 20);
    ByteBuf buffer = allocator.wrap(MEMORY.pool().allocate(300, feature), 300, 10_000);
    assertThat(feature.chargedBytes()).isEqualTo(320);
    buffer.capacity(5_000);
    assertThat(feature.chargedBytes()).isEqualTo(5_120);
    buffer.release();
    assertThat(feature.chargedBytes()).isZero();
  }

  @Test
  void aBlockIsNotWrappedWithMoreCapacityThanItHas() {
    try (Block block = MEMORY.pool().allocate(5_000)) {
      assertThatThrownBy(() -> allocator.wrap(block, 6_000, 10_000))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("6000")
          .hasMessageContaining("5120");
    }
  }
}
