package dev.weir.server.http;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Gives direct buffers that fail as they are told to; as long as they are not, they do not. */
final class FaultyBuffers extends AbstractByteBufAllocator {
  /** Every buffer, in the order in which they were given. */
  final List<ByteBuf> given = new ArrayList<>();

  /** Whether the pool is closed. */
  boolean closed;

  /** Whether the Java heap has no room for a view of a buffer. */
  boolean viewsFail;

  /** Whether giving a buffer back fails, which gives it back all the same. */
  boolean releasesFail;

  FaultyBuffers() {
    super(/* preferDirect= */ true);
  }

  @Override
  public boolean isDirectBufferPooled() {
    return false;
  }

  @Override
  protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
    throw new UnsupportedOperationException();
  }

  @Override
  protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
    if (closed) {
      throw new IllegalStateException("made by the test");
    }
    ByteBuf buffer = new Buffer(initialCapacity, maxCapacity);
    given.add(buffer);
    return buffer;
  }

  private final class Buffer extends UnpooledDirectByteBuf {
    Buffer(int initialCapacity, int maxCapacity) {
      super(UnpooledByteBufAllocator.DEFAULT, initialCapacity, maxCapacity);
    }

    @Override
    public ByteBuffer nioBuffer(int index, int length) {
      if (viewsFail) {
        throw new OutOfMemoryError("made by the test");
      }
      return super.nioBuffer(index, length);
    }

    @Override
    protected void deallocate() {
      super.deallocate();
      if (releasesFail) {
        throw new IllegalStateException("made by the test");
      }
    }
  }
}
