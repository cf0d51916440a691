package dev.weir.netty.buffer;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.util.Arrays;

/**
 * A heap buffer in a part of an array: everything that Netty asks of one but where its memory comes
 * from. Most of it is the list of accesses that {@link io.netty.buffer.AbstractByteBuf} leaves
 * open.
 */
abstract class ArrayByteBuf extends ReusedByteBuf {
  private byte[] array;
  private int offset;

  ArrayByteBuf(byte[] array, int offset, int number) {
    super(number);
    this.array = array;
    this.offset = offset;
  }

  /** Moves the buffer; contents and indices are the caller's. */
  final void relocate(byte[] newArray, int newOffset) {
    array = newArray;
    offset = newOffset;
    forgetViews();
  }

  /** Copies the first bytes elsewhere, whether the buffer may be accessed or not. */
  final void copyTo(byte[] target, int targetOffset, int bytes) {
    System.arraycopy(array, offset, target, targetOffset, bytes);
  }

  // Nature.

  @Override
  public boolean isDirect() {
    return false;
  }

  @Override
  public boolean hasArray() {
    return true;
  }

  /** The array, which other buffers have parts of. */
  @Override
  public byte[] array() {
    ensureAccessible();
    return array;
  }

  @Override
  public int arrayOffset() {
    return offset;
  }

  @Override
  public boolean hasMemoryAddress() {
    return false;
  }

  @Override
  public long memoryAddress() {
    throw new UnsupportedOperationException(
        "a heap buffer has no address; ask hasMemoryAddress() first");
  }

  // Single values: AbstractByteBuf has checked the index.

  @Override
  protected byte _getByte(int index) {
    return array[offset + index];
  }

  @Override
  protected short _getShort(int index) {
    return ArrayMemory.getShort(array, offset + index);
  }

  @Override
  protected short _getShortLE(int index) {
    return ArrayMemory.getShortLE(array, offset + index);
  }

  @Override
  protected int _getUnsignedMedium(int index) {
    return ArrayMemory.getUnsignedMedium(array, offset + index);
  }

  @Override
  protected int _getUnsignedMediumLE(int index) {
    return ArrayMemory.getUnsignedMediumLE(array, offset + index);
  }

  @Override
  protected int _getInt(int index) {
    return ArrayMemory.getInt(array, offset + index);
  }

  @Override
  protected int _getIntLE(int index) {
    return ArrayMemory.getIntLE(array, offset + index);
  }

  @Override
  protected long _getLong(int index) {
    return ArrayMemory.getLong(array, offset + index);
  }

  @Override
  protected long _getLongLE(int index) {
    return ArrayMemory.getLongLE(array, offset + index);
  }

  @Override
  protected void _setByte(int index, int value) {
    array[offset + index] = (byte) value;
  }

  @Override
  protected void _setShort(int index, int value) {
    ArrayMemory.setShort(array, offset + index, value);
  }

  @Override
  protected void _setShortLE(int index, int value) {
    ArrayMemory.setShortLE(array, offset + index, value);
  }

  @Override
  protected void _setMedium(int index, int value) {
    ArrayMemory.setMedium(array, offset + index, value);
  }

  @Override
  protected void _setMediumLE(int index, int value) {
    ArrayMemory.setMediumLE(array, offset + index, value);
  }

  @Override
  protected void _setInt(int index, int value) {
    ArrayMemory.setInt(array, offset + index, value);
  }

  @Override
  protected void _setIntLE(int index, int value) {
    ArrayMemory.setIntLE(array, offset + index, value);
  }

  @Override
  protected void _setLong(int index, long value) {
    ArrayMemory.setLong(array, offset + index, value);
  }

  @Override
  protected void _setLongLE(int index, long value) {
    ArrayMemory.setLongLE(array, offset + index, value);
  }

  // Ranges.

  @Override
  public ByteBuf getBytes(int index, ByteBuf dst, int dstIndex, int length) {
    checkDstIndex(index, length, dstIndex, dst.capacity());
    if (dst.isReadOnly()) {
      throw new ReadOnlyBufferException();
    }
    if (dst.hasMemoryAddress()) {
      RawMemory.copy(array, offset + index, dst.memoryAddress() + dstIndex, length);
    } else if (dst.hasArray()) {
      System.arraycopy(array, offset + index, dst.array(), dst.arrayOffset() + dstIndex, length);
    } else {
      dst.setBytes(dstIndex, array, offset + index, length);
    }
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, byte[] dst, int dstIndex, int length) {
    checkDstIndex(index, length, dstIndex, dst.length);
    System.arraycopy(array, offset + index, dst, dstIndex, length);
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, ByteBuffer dst) {
    int length = dst.remaining();
    checkIndex(index, length);
    dst.put(array, offset + index, length);
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, OutputStream out, int length) throws IOException {
    checkIndex(index, length);
    out.write(array, offset + index, length);
    return this;
  }

  @Override
  public ByteBuf setBytes(int index, ByteBuf src, int srcIndex, int length) {
    checkSrcIndex(index, length, srcIndex, src.capacity());
    if (src.hasMemoryAddress()) {
      RawMemory.copy(src.memoryAddress() + srcIndex, array, offset + index, length);
    } else if (src.hasArray()) {
      System.arraycopy(src.array(), src.arrayOffset() + srcIndex, array, offset + index, length);
    } else {
      src.getBytes(srcIndex, array, offset + index, length);
    }
    return this;
  }

  @Override
  public ByteBuf setBytes(int index, byte[] src, int srcIndex, int length) {
    checkSrcIndex(index, length, srcIndex, src.length);
    System.arraycopy(src, srcIndex, array, offset + index, length);
    return this;
  }

  @Override
  public ByteBuf setBytes(int index, ByteBuffer src) {
    int length = src.remaining();
    checkIndex(index, length);
    src.get(array, offset + index, length);
    return this;
  }

  @Override
  public int setBytes(int index, InputStream in, int length) throws IOException {
    checkIndex(index, length);
    return in.read(array, offset + index, length);
  }

  @Override
  public ByteBuf setZero(int index, int length) {
    checkIndex(index, length);
    Arrays.fill(array, offset + index, offset + index + length, (byte) 0);
    return this;
  }

  @Override
  public ByteBuf copy(int index, int length) {
    checkIndex(index, length);
    return alloc().heapBuffer(length, maxCapacity()).writeBytes(this, index, length);
  }

  @Override
  final ByteBuffer view(int index, int length) {
    return ByteBuffer.wrap(array, offset + index, length).slice();
  }
}
