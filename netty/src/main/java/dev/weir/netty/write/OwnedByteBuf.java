package dev.weir.netty.write;

import io.netty.buffer.AbstractReferenceCountedByteBuf;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.IllegalReferenceCountException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;

/**
 * The memory of one buffer under a reference count of its own, for one write. It starts with one
 * reference, the pipeline's, and holds one of the buffer that it shows; whatever others do with
 * that buffer, this count tells what became of the write.
 *
 * <p>{@link #drop} takes back what is left of it. From then on every access throws, also through
 * slices and duplicates, and a release that comes late does nothing: the buffer behind it is
 * released exactly once. So a handler that has kept this buffer by mistake reads nobody else's
 * data, although pools use buffer objects again. It is for when nobody may send it any more.
 *
 * <p>Most of it is the list of accesses that {@link io.netty.buffer.AbstractByteBuf} leaves open.
 */
final class OwnedByteBuf extends AbstractReferenceCountedByteBuf implements OwnedPart {
  private final ByteBuf buffer;

  /** Whether the pipeline has given back a reference, which it does once at least. */
  private volatile boolean touched;

  private volatile boolean dropped;

  /** Takes over one reference of {@code buffer}, with its indices as they are. */
  OwnedByteBuf(ByteBuf buffer) {
    super(buffer.maxCapacity());
    this.buffer = buffer;
    setIndex(buffer.readerIndex(), buffer.writerIndex());
  }

  // Ownership.

  @Override
  public boolean isUnused() {
    return !touched && !dropped;
  }

  @Override
  public boolean isUntouched() {
    return isUnused() && refCnt() == 1;
  }

  @Override
  public boolean isGone() {
    return refCnt() == 0;
  }

  @Override
  public void settle() {
    if (isUnused()) {
      drop();
    }
  }

  @Override
  public void drop() {
    dropped = true;
    for (int count = refCnt(); count > 0; count = refCnt()) {
      try {
        super.release(count);
      } catch (IllegalReferenceCountException othersHaveReleasedMeanwhile) {
        // The count is lower now: the next round sees it.
      }
    }
  }

  @Override
  public boolean release() {
    return release(1);
  }

  @Override
  public boolean release(int decrement) {
    touched = true;
    try {
      return super.release(decrement);
    } catch (IllegalReferenceCountException gone) {
      if (dropped) {
        return false;
      }
      throw gone;
    }
  }

  @Override
  protected void deallocate() {
    buffer.release();
  }

  // Nature.

  @Override
  public int capacity() {
    return buffer.capacity();
  }

  @Override
  public ByteBuf capacity(int newCapacity) {
    ensureAccessible();
    buffer.capacity(newCapacity);
    trimIndicesToCapacity(newCapacity);
    return this;
  }

  @Override
  public ByteBufAllocator alloc() {
    return buffer.alloc();
  }

  @Override
  @SuppressWarnings("deprecation") // Netty's interface still asks every buffer for it.
  public ByteOrder order() {
    return ByteOrder.BIG_ENDIAN;
  }

  @Override
  public ByteBuf unwrap() {
    return buffer;
  }

  @Override
  public boolean isReadOnly() {
    return buffer.isReadOnly();
  }

  @Override
  public boolean isDirect() {
    return buffer.isDirect();
  }

  @Override
  public boolean isContiguous() {
    return buffer.isContiguous();
  }

  @Override
  public boolean hasArray() {
    return buffer.hasArray();
  }

  @Override
  public byte[] array() {
    ensureAccessible();
    return buffer.array();
  }

  @Override
  public int arrayOffset() {
    return buffer.arrayOffset();
  }

  @Override
  public boolean hasMemoryAddress() {
    return buffer.hasMemoryAddress();
  }

  @Override
  public long memoryAddress() {
    ensureAccessible();
    return buffer.memoryAddress();
  }

  @Override
  public int nioBufferCount() {
    return buffer.nioBufferCount();
  }

  // Accesses.

  @Override
  protected byte _getByte(int index) {
    return buffer.getByte(index);
  }

  @Override
  protected short _getShort(int index) {
    return buffer.getShort(index);
  }

  @Override
  protected short _getShortLE(int index) {
    return buffer.getShortLE(index);
  }

  @Override
  protected int _getUnsignedMedium(int index) {
    return buffer.getUnsignedMedium(index);
  }

  @Override
  protected int _getUnsignedMediumLE(int index) {
    return buffer.getUnsignedMediumLE(index);
  }

  @Override
  protected int _getInt(int index) {
    return buffer.getInt(index);
  }

  @Override
  protected int _getIntLE(int index) {
    return buffer.getIntLE(index);
  }

  @Override
  protected long _getLong(int index) {
    return buffer.getLong(index);
  }

  @Override
  protected long _getLongLE(int index) {
    return buffer.getLongLE(index);
  }

  @Override
  protected void _setByte(int index, int value) {
    buffer.setByte(index, value);
  }

  @Override
  protected void _setShort(int index, int value) {
    buffer.setShort(index, value);
  }

  @Override
  protected void _setShortLE(int index, int value) {
    buffer.setShortLE(index, value);
  }

  @Override
  protected void _setMedium(int index, int value) {
    buffer.setMedium(index, value);
  }

  @Override
  protected void _setMediumLE(int index, int value) {
    buffer.setMediumLE(index, value);
  }

  @Override
  protected void _setInt(int index, int value) {
    buffer.setInt(index, value);
  }

  @Override
  protected void _setIntLE(int index, int value) {
    buffer.setIntLE(index, value);
  }

  @Override
  protected void _setLong(int index, long value) {
    buffer.setLong(index, value);
  }

  @Override
  protected void _setLongLE(int index, long value) {
    buffer.setLongLE(index, value);
  }

  @Override
  public ByteBuf getBytes(int index, ByteBuf dst, int dstIndex, int length) {
    ensureAccessible();
    buffer.getBytes(index, dst, dstIndex, length);
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, byte[] dst, int dstIndex, int length) {
    ensureAccessible();
    buffer.getBytes(index, dst, dstIndex, length);
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, ByteBuffer dst) {
    ensureAccessible();
    buffer.getBytes(index, dst);
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, OutputStream out, int length) throws IOException {
    ensureAccessible();
    buffer.getBytes(index, out, length);
    return this;
  }

  @Override
  public int getBytes(int index, GatheringByteChannel out, int length) throws IOException {
    ensureAccessible();
    return buffer.getBytes(index, out, length);
  }

  @Override
  public int getBytes(int index, FileChannel out, long position, int length) throws IOException {
    ensureAccessible();
    return buffer.getBytes(index, out, position, length);
  }

  @Override
  public ByteBuf setBytes(int index, ByteBuf src, int srcIndex, int length) {
    ensureAccessible();
    buffer.setBytes(index, src, srcIndex, length);
    return this;
  }

  @Override
  public ByteBuf setBytes(int index, byte[] src, int srcIndex, int length) {
    ensureAccessible();
    buffer.setBytes(index, src, srcIndex, length);
    return this;
  }

  @Override
  public ByteBuf setBytes(int index, ByteBuffer src) {
    ensureAccessible();
    buffer.setBytes(index, src);
    return this;
  }

  @Override
  public int setBytes(int index, InputStream in, int length) throws IOException {
    ensureAccessible();
    return buffer.setBytes(index, in, length);
  }

  @Override
  public int setBytes(int index, ScatteringByteChannel in, int length) throws IOException {
    ensureAccessible();
    return buffer.setBytes(index, in, length);
  }

  @Override
  public int setBytes(int index, FileChannel in, long position, int length) throws IOException {
    ensureAccessible();
    return buffer.setBytes(index, in, position, length);
  }

  @Override
  public ByteBuf copy(int index, int length) {
    ensureAccessible();
    return buffer.copy(index, length);
  }

  @Override
  public ByteBuffer nioBuffer(int index, int length) {
    ensureAccessible();
    return buffer.nioBuffer(index, length);
  }

  @Override
  public ByteBuffer internalNioBuffer(int index, int length) {
    // Of its own: others may be writing the same buffer, and transports keep where they are in it.
    return nioBuffer(index, length);
  }

  @Override
  public ByteBuffer[] nioBuffers(int index, int length) {
    ensureAccessible();
    return buffer.nioBuffers(index, length);
  }
}
