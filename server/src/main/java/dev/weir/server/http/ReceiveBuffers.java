package dev.weir.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

/**
 * What sockets are read with: small buffers while the pool has no room for others, since a read
 * that gets none at all ends its connection. The pool keeps a reserve for blocks of that size.
 */
@SuppressWarnings("deprecation") // Handle: Netty has nothing in its place yet
final class ReceiveBuffers extends AdaptiveRecvByteBufAllocator {
  private static final int FIRST_BYTES = 4 << 10;
  private static final int SMALLEST_BYTES = 512;

  /** Half of what counts as small, so that the reserve serves twice as many connections. */
  private static final int RESERVED_BYTES = 2 << 10;

  ReceiveBuffers() {
    super(SMALLEST_BYTES, FIRST_BYTES, HttpLimits.CHUNK_BYTES);
  }

  @Override
  public Handle newHandle() {
    return new SmallWhenShort((ExtendedHandle) super.newHandle());
  }

  private static final class SmallWhenShort extends DelegatingHandle implements ExtendedHandle {
    private final ExtendedHandle handle;

    SmallWhenShort(ExtendedHandle handle) {
      super(handle);
      this.handle = handle;
    }

    @Override
    public ByteBuf allocate(ByteBufAllocator allocator) {
      try {
        return super.allocate(allocator);
      } catch (OutOfMemoryError refused) {
        return allocator.ioBuffer(RESERVED_BYTES);
      }
    }

    @Override
    public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
      return handle.continueReading(maybeMoreData);
    }
  }
}
