package dev.weir.netty.buffer;

import io.netty.buffer.AbstractByteBuf;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;

/**
 * A buffer that hands every access to another one, for which it asks each time: whoever extends it
 * may refuse. It is the list of accesses that {@link AbstractByteBuf} leaves open, and nothing
 * else.
 */
abstract class CheckedByteBuf extends AbstractByteBuf {
  CheckedByteBuf(int maxCapacity) {
    super(maxCapacity);
  }

  /** The buffer that an access goes to; throws if there is to be none. */
  abstract WeirByteBuf live();

  /** What is thrown for an access that failed on its way, because memory was closed perhaps. */
  abstract IllegalStateException explained(IllegalStateException e);

  // Single values: AbstractByteBuf has checked the index.

  @Override
  protected byte _getByte(int index) {
    return live()._getByte(index);
  }

  @Override
  protected short _getShort(int index) {
    return live()._getShort(index);
  }

  @Override
  protected short _getShortLE(int index) {
    return live()._getShortLE(index);
  }

  @Override
  protected int _getUnsignedMedium(int index) {
    return live()._getUnsignedMedium(index);
  }

  @Override
  protected int _getUnsignedMediumLE(int index) {
    return live()._getUnsignedMediumLE(index);
  }

  @Override
  protected int _getInt(int index) {
    return live()._getInt(index);
  }

  @Override
  protected int _getIntLE(int index) {
    return live()._getIntLE(index);
  }

  @Override
  protected long _getLong(int index) {
    return live()._getLong(index);
  }

  @Override
  protected long _getLongLE(int index) {
    return live()._getLongLE(index);
  }

  @Override
  protected void _setByte(int index, int value) {
    live()._setByte(index, value);
  }

  @Override
  protected void _setShort(int index, int value) {
    live()._setShort(index, value);
  }

  @Override
  protected void _setShortLE(int index, int value) {
    live()._setShortLE(index, value);
  }

  @Override
  protected void _setMedium(int index, int value) {
    live()._setMedium(index, value);
  }

  @Override
  protected void _setMediumLE(int index, int value) {
    live()._setMediumLE(index, value);
  }

  @Override
  protected void _setInt(int index, int value) {
    live()._setInt(index, value);
  }

  @Override
  protected void _setIntLE(int index, int value) {
    live()._setIntLE(index, value);
  }

  @Override
  protected void _setLong(int index, long value) {
    live()._setLong(index, value);
  }

  @Override
  protected void _setLongLE(int index, long value) {
    live()._setLongLE(index, value);
  }

  // Ranges: the memory checks them.

  @Override
  public ByteBuf getBytes(int index, ByteBuf dst, int dstIndex, int length) {
    live().getBytes(index, dst, dstIndex, length);
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, byte[] dst, int dstIndex, int length) {
    live().getBytes(index, dst, dstIndex, length);
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, ByteBuffer dst) {
    live().getBytes(index, dst);
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, OutputStream out, int length) throws IOException {
    live().getBytes(index, out, length);
    return this;
  }

  @Override
  public int getBytes(int index, GatheringByteChannel out, int length) throws IOException {
    try {
      return live().getBytes(index, out, length);
    } catch (IllegalStateException e) {
      throw explained(e);
    }
  }

  @Override
  public int getBytes(int index, FileChannel out, long position, int length) throws IOException {
    try {
      return live().getBytes(index, out, position, length);
    } catch (IllegalStateException e) {
      throw explained(e);
    }
  }

  @Override
  public ByteBuf setBytes(int index, ByteBuf src, int srcIndex, int length) {
    live().setBytes(index, src, srcIndex, length);
    return this;
  }

  @Override
  public ByteBuf setBytes(int index, byte[] src, int srcIndex, int length) {
    live().setBytes(index, src, srcIndex, length);
    return this;
  }

  @Override
  public ByteBuf setBytes(int index, ByteBuffer src) {
    live().setBytes(index, src);
    return this;
  }

  @Override
  public int setBytes(int index, InputStream in, int length) throws IOException {
    return live().setBytes(index, in, length);
  }

  @Override
  public int setBytes(int index, ScatteringByteChannel in, int length) throws IOException {
    try {
      return live().setBytes(index, in, length);
    } catch (IllegalStateException e) {
      throw explained(e);
    }
  }

  @Override
  public int setBytes(int index, FileChannel in, long position, int length) throws IOException {
    try {
      return live().setBytes(index, in, position, length);
    } catch (IllegalStateException e) {
      throw explained(e);
    }
  }

  @Override
  public ByteBuf setZero(int index, int length) {
    live().setZero(index, length);
    return this;
  }

  @Override
  public ByteBuf copy(int index, int length) {
    checkIndex(index, length);
    return alloc().directBuffer(length, maxCapacity()).writeBytes(this, index, length);
  }

  // NIO views.

  @Override
  public int nioBufferCount() {
    return 1;
  }

  @Override
  public ByteBuffer nioBuffer(int index, int length) {
    return live().nioBuffer(index, length);
  }

  @Override
  public ByteBuffer[] nioBuffers(int index, int length) {
    return live().nioBuffers(index, length);
  }

  @Override
  public ByteBuffer internalNioBuffer(int index, int length) {
    return live().internalNioBuffer(index, length);
  }
}
