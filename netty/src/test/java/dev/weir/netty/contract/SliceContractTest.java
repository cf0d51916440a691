package dev.weir.netty.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.netty.PoolUnderTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.SlicedByteBufTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Netty's test of slices, over slices of Weir's buffers.
 *
 * <p>Netty skips its tests of a maximum capacity here, for a slice has none but its length. They
 * are overridden with what holds of a slice instead.
 */
class SliceContractTest extends SlicedByteBufTest {
  @RegisterExtension final PoolUnderTest memory = new PoolUnderTest();

  @Override
  protected final ByteBuf newSlice(ByteBuf unpooled, int offset, int length) {
    int capacity = unpooled.capacity();
    unpooled.release();
    return memory.releasedAtTheLatestAfter(
        slice(memory.allocator().directBuffer(capacity), offset, length));
  }

  /** A view of part of {@code whole}, which takes it over. */
  ByteBuf slice(ByteBuf whole, int offset, int length) {
    return whole.slice(offset, length);
  }

  @Test
  @Override
  public void testCapacityEnforceMaxCapacity() {
    assertCapacityIsFixed(14);
  }

  @Test
  @Override
  public void testCapacityNegative() {
    assertCapacityIsFixed(-1);
  }

  @Test
  @Override
  public void testCapacityDecrease() {
    assertCapacityIsFixed(2);
  }

  @Test
  @Override
  public void testCapacityIncrease() {
    assertCapacityIsFixed(4);
  }

  @Test
  @Override
  public void testMaxFastWritableBytes() {
    ByteBuf slice = newBuffer(150).writerIndex(100);
    assertThat(slice.maxFastWritableBytes()).isEqualTo(50);
    assertThat(slice.maxWritableBytes()).isEqualTo(50);
    slice.release();
  }

  @Test
  @Override
  public void testMaxFastWritableBytesTracksWrittenBytes() {
    ByteBuf slice = newBuffer(4).clear();
    slice.writeByte(1);
    assertThat(slice.maxFastWritableBytes()).isEqualTo(3);
    slice.release();
  }

  private void assertCapacityIsFixed(int otherCapacity) {
    ByteBuf slice = newBuffer(3);
    assertThat(slice.maxCapacity()).isEqualTo(3);
    assertThatThrownBy(() -> slice.capacity(otherCapacity)).isInstanceOf(RuntimeException.class);
    assertThat(slice.capacity()).isEqualTo(3);
    slice.release();
  }
}
