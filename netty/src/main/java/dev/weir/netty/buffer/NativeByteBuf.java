package dev.weir.netty.buffer;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;

/**
 * A direct buffer at an address: everything that Netty asks of one but where its memory comes from.
 * Half of it is the list of accesses that {@link io.netty.buffer.AbstractByteBuf} leaves open.
 */
abstract class NativeByteBuf extends ReusedByteBuf {
  /**
   * What is moved at once between a stream and native memory: large enough that the calls do not
   * count.
   */
  private static final int STREAM_CHUNK_BYTES = 64 << 10;

  private long address;

  NativeByteBuf(long address, int number) {
    super(number);
    this.address = address;
  }

  /** The first byte, whether the buffer may be accessed or not. */
  final long address() {
    return address;
  }

  /** Moves the buffer: the memory behind it, or its length, is another. */
  final void relocate(long newAddress) {
    address = newAddress;
    forgetViews();
  }

  // Nature.

  @Override
  public boolean isDirect() {
    return true;
  }

  @Override
  public boolean hasArray() {
    return false;
  }

  @Override
  public byte[] array() {
    throw new UnsupportedOperationException("a direct buffer has no array; ask hasArray() first");
  }

  @Override
  public int arrayOffset() {
    throw new UnsupportedOperationException("a direct buffer has no array; ask hasArray() first");
  }

  /** Until its last release, as of Netty's pooled buffers. */
  @Override
  public boolean hasMemoryAddress() {
    return refCnt() != 0;
  }

  @Override
  public long memoryAddress() {
    ensureAccessible();
    return address;
  }

  // Single values: AbstractByteBuf has checked the index.

  @Override
  protected byte _getByte(int index) {
    return RawMemory.getByte(address + index);
  }

  @Override
  protected short _getShort(int index) {
    return RawMemory.getShort(address + index);
  }

  @Override
  protected short _getShortLE(int index) {
    return RawMemory.getShortLE(address + index);
  }

  @Override
  protected int _getUnsignedMedium(int index) {
    return RawMemory.getUnsignedMedium(address + index);
  }

  @Override
  protected int _getUnsignedMediumLE(int index) {
    return RawMemory.getUnsignedMediumLE(address + index);
  }

  @Override
  protected int _getInt(int index) {
    return RawMemory.getInt(address + index);
  }

  @Override
  protected int _getIntLE(int index) {
    return RawMemory.getIntLE(address + index);
  }

  @Override
  protected long _getLong(int index) {
    return RawMemory.getLong(address + index);
  }

  @Override
  protected long _getLongLE(int index) {
    return RawMemory.getLongLE(address + index);
  }

  @Override
  protected void _setByte(int index, int value) {
    RawMemory.setByte(address + index, value);
  }

  @Override
  protected void _setShort(int index, int value) {
    RawMemory.setShort(address + index, value);
  }

  @Override
  protected void _setShortLE(int index, int value) {
    RawMemory.setShortLE(address + index, value);
  }

  @Override
  protected void _setMedium(int index, int value) {
    RawMemory.setMedium(address + index, value);
  }

  @Override
  protected void _setMediumLE(int index, int value) {
    RawMemory.setMediumLE(address + index, value);
  }

  @Override
  protected void _setInt(int index, int value) {
    RawMemory.setInt(address + index, value);
  }

  @Override
  protected void _setIntLE(int index, int value) {
    RawMemory.setIntLE(address + index, value);
  }

  @Override
  protected void _setLong(int index, long value) {
    RawMemory.setLong(address + index, value);
  }

  @Override
  protected void _setLongLE(int index, long value) {
    RawMemory.setLongLE(address + index, value);
  }

  // Ranges.

  @Override
  public ByteBuf getBytes(int index, ByteBuf dst, int dstIndex, int length) {
    checkDstIndex(index, length, dstIndex, dst.capacity());
    if (dst.isReadOnly()) {
      throw new ReadOnlyBufferException();
    }
    if (dst.hasMemoryAddress()) {
      RawMemory.copy(address + index, dst.memoryAddress() + dstIndex, length);
    } else if (dst.hasArray()) {
      RawMemory.copy(address + index, dst.array(), dst.arrayOffset() + dstIndex, length);
    } else {
      dst.setBytes(dstIndex, this, index, length);
    }
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, byte[] dst, int dstIndex, int length) {
    checkDstIndex(index, length, dstIndex, dst.length);
    RawMemory.copy(address + index, dst, dstIndex, length);
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, ByteBuffer dst) {
    dst.put(nioBuffer(index, dst.remaining()));
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, OutputStream out, int length) throws IOException {
    checkIndex(index, length);
    byte[] chunk = new byte[Math.min(length, STREAM_CHUNK_BYTES)];
    int done = 0;
    while (done < length) {
      int bytes = Math.min(length - done, chunk.length);
      RawMemory.copy(address + index + done, chunk, 0, bytes);
      out.write(chunk, 0, bytes);
      done += bytes;
    }
    return this;
  }

  @Override
  public ByteBuf setBytes(int index, ByteBuf src, int srcIndex, int length) {
    checkSrcIndex(index, length, srcIndex, src.capacity());
    if (src.hasMemoryAddress()) {
      RawMemory.copy(src.memoryAddress() + srcIndex, address + index, length);
    } else if (src.hasArray()) {
      RawMemory.copy(src.array(), src.arrayOffset() + srcIndex, address + index, length);
    } else {
      src.getBytes(srcIndex, this, index, length);
    }
    return this;
  }

  @Override
  public ByteBuf setBytes(int index, byte[] src, int srcIndex, int length) {
    checkSrcIndex(index, length, srcIndex, src.length);
    RawMemory.copy(src, srcIndex, address + index, length);
    return this;
  }

  @Override
  public ByteBuf setBytes(int index, ByteBuffer src) {
    nioBuffer(index, src.remaining()).put(src);
    return this;
  }

  /**
   * Reads in chunks, for as long as the stream says that it has more. Where it fails behind the
   * first chunk, what it has given until then counts, as for a stream that reads into an array.
   */
  @Override
  public int setBytes(int index, InputStream in, int length) throws IOException {
    checkIndex(index, length);
    byte[] chunk = new byte[Math.min(length, STREAM_CHUNK_BYTES)];
    int done = setChunk(index, in, length, chunk);
    if (done < chunk.length) {
      return done;
    }
    try {
      int bytes = chunk.length;
      while (done < length && bytes == chunk.length && in.available() > 0) {
        bytes = setChunk(index + done, in, length - done, chunk);
        done += Math.max(bytes, 0);
      }
    } catch (IOException e) {
      return done;
    }
    return done;
  }

  private int setChunk(int index, InputStream in, int length, byte[] chunk) throws IOException {
    int bytes = in.read(chunk, 0, Math.min(length, chunk.length));
    if (bytes > 0) {
      RawMemory.copy(chunk, 0, address + index, bytes);
    }
    return bytes;
  }

  @Override
  public ByteBuf setZero(int index, int length) {
    checkIndex(index, length);
    RawMemory.setZero(address + index, length);
    return this;
  }

  @Override
  public ByteBuf copy(int index, int length) {
    checkIndex(index, length);
    return alloc().directBuffer(length, maxCapacity()).writeBytes(this, index, length);
  }
}
