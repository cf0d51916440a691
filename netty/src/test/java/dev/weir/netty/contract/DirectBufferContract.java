package dev.weir.netty.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.AbstractByteBufTest;
import io.netty.buffer.ByteBuf;
import io.netty.util.IllegalReferenceCountException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Netty's contract of a buffer, and what Weir's direct buffers add to it. */
abstract class DirectBufferContract extends AbstractByteBufTest {
  /** A buffer of the kind under test, with exactly these capacities. */
  abstract ByteBuf allocate(int capacity, int maxCapacity);

  @Override
  protected final ByteBuf newBuffer(int capacity, int maxCapacity) {
    ByteBuf buffer = allocate(capacity, maxCapacity);
    assertThat(buffer.resetReaderIndex().readerIndex()).isZero();
    assertThat(buffer.resetWriterIndex().writerIndex()).isZero();
    assertThat(buffer.capacity()).isEqualTo(capacity);
    assertThat(buffer.maxCapacity()).isEqualTo(maxCapacity);
    assertThat(buffer.refCnt()).isEqualTo(1);
    return buffer;
  }

  /**
   * What is fast to write is the rest of the block: it is filled without a move, and one byte more
   * needs one.
   */
  @Test
  @Override
  public void testMaxFastWritableBytes() {
    ByteBuf buffer = newBuffer(150, 500_000).writerIndex(100);
    int blockBytes = buffer.writerIndex() + buffer.maxFastWritableBytes();
    assertThat(blockBytes).isGreaterThanOrEqualTo(150);
    long address = buffer.memoryAddress();

    buffer.writeZero(buffer.maxFastWritableBytes());
    assertThat(buffer.memoryAddress()).isEqualTo(address);
    assertThat(buffer.capacity()).isEqualTo(blockBytes);
    assertThat(buffer.maxFastWritableBytes()).isZero();

    buffer.writeByte(7);
    assertThat(buffer.getByte(blockBytes)).isEqualTo((byte) 7);
    assertThat(buffer.capacity()).isGreaterThan(blockBytes);

    buffer.capacity(500_000);
    assertThat(buffer.maxFastWritableBytes()).isEqualTo(500_000 - buffer.writerIndex());
    buffer.release();
  }

  @Test
  void maxFastWritableBytesEndAtTheMaximumCapacity() {
    ByteBuf buffer = newBuffer(150, 151);
    assertThat(buffer.maxFastWritableBytes()).isEqualTo(151);
    buffer.release();
  }

  @Test
  void ensureWritableTakesWhatTheBlockHas() {
    ByteBuf buffer = newBuffer(150, 500_000).writerIndex(100);
    int fast = buffer.maxFastWritableBytes();
    long address = buffer.memoryAddress();
    buffer.ensureWritable(fast);
    assertThat(buffer.memoryAddress()).isEqualTo(address);
    assertThat(buffer.writableBytes()).isEqualTo(fast);
    assertThat(buffer.maxFastWritableBytes()).isEqualTo(fast);
    assertThatThrownBy(() -> buffer.ensureWritable(500_001))
        .isInstanceOf(IndexOutOfBoundsException.class);
    buffer.release();
  }

  @Test
  void growthAndShrinkingKeepTheContents() {
    ByteBuf buffer = newBuffer(1, 300_000);
    for (int capacity = 1; capacity < 300_000; capacity = capacity * 5 / 4 + 1) {
      buffer.capacity(capacity);
      for (int i = buffer.writerIndex(); i < capacity; i++) {
        buffer.writeByte(i * 31 >> 3);
      }
    }
    int written = buffer.writerIndex();
    for (int capacity = written; capacity > 0; capacity = capacity * 2 / 5) {
      buffer.capacity(capacity);
      assertThat(buffer.writerIndex()).isEqualTo(capacity);
      for (int i = 0; i < capacity; i++) {
        if (buffer.getByte(i) != (byte) (i * 31 >> 3)) {
          assertThat(buffer.getByte(i))
              .as("byte %d of %d", i, capacity)
              .isEqualTo((byte) (i * 31 >> 3));
        }
      }
    }
    buffer.release();
  }

  @Test
  void isContiguousDirectMemoryWithAnAddress() {
    ByteBuf buffer = newBuffer(4, 8);
    assertThat(buffer.isContiguous()).isTrue();
    assertThat(buffer.isDirect()).isTrue();
    assertThat(buffer.nioBufferCount()).isEqualTo(1);
    buffer.setBytes(0, new byte[] {1, 2, 3, 4});
    assertThat(buffer.nioBuffer(0, 4)).isEqualTo(ByteBuffer.wrap(new byte[] {1, 2, 3, 4}));
    assertThat(buffer.internalNioBuffer(1, 2)).isEqualTo(ByteBuffer.wrap(new byte[] {2, 3}));
    buffer.release();
    assertThatThrownBy(buffer::memoryAddress).isInstanceOf(IllegalReferenceCountException.class);
  }

  @Test
  void buffersDoNotOverlap() {
    ByteBuf low = newBuffer(16_384, 16_384);
    ByteBuf high = newBuffer(65_536, 65_536);
    low.setByte(16_383, 1);
    high.setZero(0, 65_536);
    low.setZero(0, 16_383);
    high.setByte(0, 2);
    assertThat(low.getByte(16_383)).isEqualTo((byte) 1);
    assertThat(high.getByte(0)).isEqualTo((byte) 2);
    low.release();
    high.release();
  }

  @Test
  void isDeadAfterItsRelease() {
    ByteBuf buffer = newBuffer(16, 64);
    buffer.release();
    assertThatThrownBy(buffer::release).isInstanceOf(IllegalReferenceCountException.class);
    assertThatThrownBy(buffer::retain).isInstanceOf(IllegalReferenceCountException.class);
    assertThatThrownBy(() -> buffer.getByte(0)).isInstanceOf(IllegalReferenceCountException.class);
    assertThatThrownBy(() -> buffer.writeInt(1)).isInstanceOf(IllegalReferenceCountException.class);
    assertThatThrownBy(() -> buffer.capacity(32))
        .isInstanceOf(IllegalReferenceCountException.class);
    assertThatThrownBy(() -> buffer.nioBuffer(0, 1))
        .isInstanceOf(IllegalReferenceCountException.class);
    assertThatThrownBy(buffer::slice).isInstanceOf(IllegalReferenceCountException.class);
  }
}
