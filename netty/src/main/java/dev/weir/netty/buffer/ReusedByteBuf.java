package dev.weir.netty.buffer;

import io.netty.buffer.AbstractReferenceCountedByteBuf;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;
import org.jspecify.annotations.Nullable;

/**
 * A buffer in one piece of memory, whose object belongs to its slot or run. It rests there while
 * that is free, with a reference count of 0, and is opened again with it. This is what direct
 * buffers and heap buffers have in common: their life, their capacity, and views for NIO.
 */
/*
 * A buffer that growth has moved to another place is detached from then on: the slot where it rested still refers to it,
 * and sees `GONE` in its place, because that is written before the slot is freed.
 */
abstract class ReusedByteBuf extends AbstractReferenceCountedByteBuf {
  /** In {@link #place}: growth has moved it, so the slot where it was left will not give it out. */
  private static final int GONE = 1 << 30;

  /** In {@link #place}: a mark has been set since the marks were last cleared. */
  private static final int MARKED = 1 << 29;

  /** In {@link #place}: the number of the slot or run at its home. Slabs have fewer slots. */
  private static final int NUMBER = MARKED - 1;

  private @Nullable ByteBuffer internalNioBuffer;

  /**
   * The number of the slot or run at its home; for few with {@link #GONE} or {@link #MARKED}, since
   * a field of their own would make the buffer longer than 64 bytes.
   */
  private int place;

  private int capacity;

  ReusedByteBuf(int number) {
    super(Integer.MAX_VALUE);
    this.place = number;
  }

  // Its life.

  /** Starts a life: nobody else may refer to this buffer. */
  final void open(int newCapacity, int newMaxCapacity) {
    capacity = newCapacity;
    if (maxCapacity() != newMaxCapacity) {
      maxCapacity(newMaxCapacity);
    }
    clear();
    resetRefCnt();
  }

  /** Of a buffer that was found at a free slot: whether to open it is all that it needs. */
  final boolean isAtRest() {
    return place <= NUMBER;
  }

  /** Of a buffer that was found at a free slot: whether it still belongs there; it is at rest. */
  final boolean isStillThere() {
    if ((place & GONE) != 0) {
      return false;
    }
    if (place > NUMBER) {
      clear();
      super.markReaderIndex();
      super.markWriterIndex();
      place = number();
    }
    return true;
  }

  /** The number of the slot or run at its home. */
  final int number() {
    return place & NUMBER;
  }

  /** Notes that it has left its slot, for one that it will not rest in. */
  final void leaveFor(int newNumber) {
    place = newNumber | GONE | (place & MARKED);
  }

  /** Notes that the memory behind it, or its length, is another. */
  final void forgetViews() {
    internalNioBuffer = null;
  }

  @Override
  public final ByteBuf markReaderIndex() {
    place |= MARKED;
    return super.markReaderIndex();
  }

  @Override
  public final ByteBuf markWriterIndex() {
    place |= MARKED;
    return super.markWriterIndex();
  }

  // Its capacity.

  /** How many bytes of memory there are, which may be more than the capacity. */
  abstract int memoryBytes();

  /** Comes to memory for so many bytes, with what it holds. */
  abstract void growMemory(int newCapacity);

  /** May come to less memory, with so many bytes of what it holds. */
  abstract void shrinkMemory(int newCapacity);

  final void setCapacity(int newCapacity) {
    capacity = newCapacity;
  }

  @Override
  public final int capacity() {
    return capacity;
  }

  @Override
  public final ByteBuf capacity(int newCapacity) {
    checkNewCapacity(newCapacity);
    if (newCapacity > memoryBytes()) {
      growMemory(newCapacity);
    } else if (newCapacity < capacity) {
      trimIndicesToCapacity(newCapacity);
      shrinkMemory(newCapacity);
    }
    capacity = newCapacity;
    return this;
  }

  /** Reports its memory only: Netty makes all of it capacity before it asks for more. */
  @Override
  public final int maxFastWritableBytes() {
    return Math.min(memoryBytes(), maxCapacity()) - writerIndex();
  }

  // Nature.

  @Override
  @SuppressWarnings("deprecation") // Netty's interface still asks every buffer for it.
  public final ByteOrder order() {
    return ByteOrder.BIG_ENDIAN;
  }

  @Override
  public final @Nullable ByteBuf unwrap() {
    return null;
  }

  @Override
  public final boolean isContiguous() {
    return true;
  }

  // Channels, and zeros.

  @Override
  public final int getBytes(int index, GatheringByteChannel out, int length) throws IOException {
    return out.write(nioBuffer(index, length));
  }

  @Override
  public final int getBytes(int index, FileChannel out, long position, int length)
      throws IOException {
    return out.write(nioBuffer(index, length), position);
  }

  @Override
  public final int setBytes(int index, ScatteringByteChannel in, int length) throws IOException {
    try {
      return in.read(internalNioBuffer(index, length));
    } catch (ClosedChannelException closed) {
      return -1;
    }
  }

  @Override
  public final int setBytes(int index, FileChannel in, long position, int length)
      throws IOException {
    try {
      return in.read(internalNioBuffer(index, length), position);
    } catch (ClosedChannelException closed) {
      return -1;
    }
  }

  @Override
  public final ByteBuf writeZero(int length) {
    ensureWritable(length);
    int start = writerIndex();
    setZero(start, length);
    return writerIndex(start + length);
  }

  // NIO views.

  /**
   * A new view of so many bytes of the memory from {@code index} on, which the caller has checked.
   */
  abstract ByteBuffer view(int index, int length);

  @Override
  public final int nioBufferCount() {
    return 1;
  }

  @Override
  public final ByteBuffer nioBuffer(int index, int length) {
    checkIndex(index, length);
    return view(index, length);
  }

  @Override
  public final ByteBuffer[] nioBuffers(int index, int length) {
    return new ByteBuffer[] {nioBuffer(index, length)};
  }

  @Override
  public final ByteBuffer internalNioBuffer(int index, int length) {
    checkIndex(index, length);
    ByteBuffer buffer = internalNioBuffer;
    if (buffer == null) {
      buffer = view(0, memoryBytes());
      internalNioBuffer = buffer;
    }
    // Whoever had it before, in this life of the buffer or in an earlier one, may have turned it.
    return buffer.order(ByteOrder.BIG_ENDIAN).limit(index + length).position(index);
  }
}
