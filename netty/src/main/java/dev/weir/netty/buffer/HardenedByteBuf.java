package dev.weir.netty.buffer;

import dev.weir.memory.hardening.BlockHistory;
import dev.weir.memory.hardening.Misuse.Kind;
import io.netty.buffer.AbstractByteBuf;
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
import org.jspecify.annotations.Nullable;

/**
 * A buffer over a hardened block. Whatever is done to it, or to a slice or a duplicate of it, after
 * its last release throws {@link IllegalReferenceCountException}, for ever, whose message and cause
 * say who allocated the buffer and who released it. Most of this file is the list of accesses that
 * Netty asks of a buffer, each handed to the memory after a look at whether it is alive.
 */
/*
 * It is a buffer of its own, not another kind of WeirByteBuf, for the sake of those stacks. AbstractByteBuf checks in
 * `ensureAccessible`, which is final and throws a bare exception; what it asks is `refCnt() != 0`, unless the buffer is
 * an AbstractReferenceCountedByteBuf. So a dead buffer that finds itself asked by that check throws in its place.
 */
final class HardenedByteBuf extends AbstractByteBuf {
  private static final StackWalker WALKER = StackWalker.getInstance();

  private final WeirByteBuf memory;
  private BlockHistory history;

  /**
   * Takes a live buffer over, which nobody else has.
   *
   * @param history that of its block
   */
  HardenedByteBuf(WeirByteBuf memory, BlockHistory history) {
    super(memory.maxCapacity());
    this.memory = memory;
    this.history = history;
  }

  // The end of its life.

  @Override
  public int refCnt() {
    int count = memory.refCnt();
    if (count == 0 && isAskedByCheck()) {
      throw misused(Kind.USE_AFTER_RELEASE, "refCnt: 0");
    }
    return count;
  }

  /** Whether the caller is a check of Netty's that throws if the buffer is dead. */
  private static boolean isAskedByCheck() {
    return WALKER.walk(frames ->
        frames
            .skip(2) // this method and refCnt
            .map(StackWalker.StackFrame::getMethodName)
            .dropWhile(name -> name.startsWith("isAccessible") || name.startsWith("refCnt"))
            .findFirst()
            .filter(name -> name.equals("ensureAccessible") || name.equals("newComponent"))
            .isPresent());
  }

  private IllegalReferenceCountException misused(Kind kind, String what) {
    return new IllegalReferenceCountException(history.tell(kind, what), history.asCause());
  }

  /** The memory, for an access: also where Netty's own checks are switched off. */
  private WeirByteBuf live() {
    if (memory.refCnt() == 0) {
      throw misused(Kind.USE_AFTER_RELEASE, "refCnt: 0");
    }
    return memory;
  }

  /** A view of the memory was closed while it was in use, which is a mistake of the same kind. */
  private IllegalStateException explained(IllegalStateException e) {
    return memory.refCnt() == 0 && !(e instanceof IllegalReferenceCountException)
        ? misused(Kind.USE_AFTER_RELEASE, "refCnt: 0")
        : e;
  }

  @Override
  public boolean release() {
    return release(1);
  }

  @Override
  public boolean release(int decrement) {
    try {
      boolean last = memory.release(decrement);
      if (last) {
        history.release();
      }
      return last;
    } catch (IllegalReferenceCountException e) {
      throw misused(Kind.SECOND_RELEASE, String.valueOf(e.getMessage()));
    }
  }

  @Override
  public ByteBuf retain() {
    return retain(1);
  }

  @Override
  public ByteBuf retain(int increment) {
    try {
      memory.retain(increment);
      return this;
    } catch (IllegalReferenceCountException e) {
      throw misused(Kind.SECOND_RELEASE, String.valueOf(e.getMessage()));
    }
  }

  @Override
  public ByteBuf touch() {
    return this;
  }

  @Override
  public ByteBuf touch(Object hint) {
    return this;
  }

  // Nature.

  @Override
  @SuppressWarnings("deprecation") // Netty's interface still asks every buffer for it.
  public ByteOrder order() {
    return memory.order();
  }

  @Override
  public ByteBufAllocator alloc() {
    return memory.alloc();
  }

  @Override
  public @Nullable ByteBuf unwrap() {
    return null;
  }

  @Override
  public boolean isDirect() {
    return true;
  }

  @Override
  public boolean isContiguous() {
    return true;
  }

  @Override
  public boolean hasArray() {
    return false;
  }

  @Override
  public byte[] array() {
    return memory.array();
  }

  @Override
  public int arrayOffset() {
    return memory.arrayOffset();
  }

  @Override
  public boolean hasMemoryAddress() {
    return true;
  }

  @Override
  public long memoryAddress() {
    return live().memoryAddress();
  }

  // Capacity.

  @Override
  public int capacity() {
    return memory.capacity();
  }

  @Override
  public ByteBuf capacity(int newCapacity) {
    checkNewCapacity(newCapacity);
    WeirByteBuf live = live();
    if (newCapacity < live.capacity()) {
      trimIndicesToCapacity(newCapacity);
    }
    live.capacity(newCapacity);
    BlockHistory ofBlock = live.history();
    if (ofBlock != null) {
      history = ofBlock;
    } else if (history.isReleased()) {
      history = history.continued(); // Its block was released when it grew out of it.
    }
    return this;
  }

  @Override
  public int maxFastWritableBytes() {
    return Math.min(memory.memoryBytes(), maxCapacity()) - writerIndex();
  }

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
