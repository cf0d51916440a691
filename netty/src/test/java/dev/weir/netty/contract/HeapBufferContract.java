package dev.weir.netty.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.AbstractByteBufTest;
import io.netty.buffer.ByteBuf;
import io.netty.util.IllegalReferenceCountException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Netty's contract of a buffer, and what Weir's heap buffers add to it. */
abstract class HeapBufferContract extends AbstractByteBufTest {
  /** A buffer of the kind under test, with exactly these capacities. */
  abstract ByteBuf allocate(int capacity, int maxCapacity);

  @Override
  protected final ByteBuf newBuffer(int capacity, int maxCapacity) {
    ByteBuf buffer = allocate(capacity, maxCapacity);
    assertThat(buffer.isDirect()).isFalse();
    assertThat(buffer.resetReaderIndex().readerIndex()).isZero();
    assertThat(buffer.resetWriterIndex().writerIndex()).isZero();
    assertThat(buffer.capacity()).isEqualTo(capacity);
    assertThat(buffer.maxCapacity()).isEqualTo(maxCapacity);
    assertThat(buffer.refCnt()).isEqualTo(1);
    return buffer;
  }

  /** As for direct buffers: what is fast to write is the rest of the slot. */
  @Test
  @Override
  public void testMaxFastWritableBytes() {
    ByteBuf buffer = newBuffer(150, 500_000).writerIndex(100);
    int slotBytes = buffer.writerIndex() + buffer.maxFastWritableBytes();
    assertThat(slotBytes).isGreaterThanOrEqualTo(150);
    byte[] array = buffer.array();
    int offset = buffer.arrayOffset();

    buffer.writeZero(buffer.maxFastWritableBytes());
    assertThat(buffer.array()).isSameAs(array);
    assertThat(buffer.arrayOffset()).isEqualTo(offset);
    assertThat(buffer.capacity()).isEqualTo(slotBytes);
    assertThat(buffer.maxFastWritableBytes()).isZero();

    buffer.writeByte(7);
    assertThat(buffer.getByte(slotBytes)).isEqualTo((byte) 7);
    assertThat(buffer.capacity()).isGreaterThan(slotBytes);
    buffer.release();
  }

  @Test
  void theArrayShowsTheBuffersBytesFromItsOffsetOn() {
    ByteBuf buffer = newBuffer(100, 100).writeLong(42);

    assertThat(buffer.hasArray()).isTrue();
    assertThat(ByteBuffer.wrap(buffer.array(), buffer.arrayOffset(), 8).getLong()).isEqualTo(42);
    assertThat(buffer.hasMemoryAddress()).isFalse();
    assertThatThrownBy(buffer::memoryAddress).isInstanceOf(UnsupportedOperationException.class);
    buffer.release();
    assertThatThrownBy(buffer::array).isInstanceOf(IllegalReferenceCountException.class);
  }

  @Test
  void noViewReachesBeyondTheBuffer() {
    ByteBuf other = newBuffer(100, 100).setZero(0, 100);
    ByteBuf buffer = newBuffer(100, 100);
    ByteBuffer view = buffer.nioBuffer(10, 20);

    assertThat(view.capacity()).isEqualTo(20);
    assertThat(buffer.internalNioBuffer(10, 20).remaining()).isEqualTo(20);
    assertThatThrownBy(() -> buffer.setByte(100, 1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> buffer.setLong(93, 1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> buffer.getByte(-1)).isInstanceOf(IndexOutOfBoundsException.class);
    buffer.setZero(0, 100);
    for (int i = 0; i < 100; i++) {
      buffer.setByte(i, 1);
    }
    assertThat(other.forEachByte(0, 100, value -> value == 0)).isEqualTo(-1);
    buffer.release();
    other.release();
  }
}
