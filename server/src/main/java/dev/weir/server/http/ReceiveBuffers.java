package dev.weir.server.http;

import dev.weir.memory.budget.BudgetExceededError;
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

  private static final int LEAST_RESERVED_BYTES = 256;

  /**
   * A quarter of the largest reserve. Each place may hold three such buffers, two that wait and one
   * on its way to the disk.
   */
  private static final int ALL_RESERVED_BYTES = 256 << 10;

  private final Places places;

  /** The more of {@code places} are taken, the smaller are buffers of the reserve. */
  ReceiveBuffers(Places places) {
    super(SMALLEST_BYTES, FIRST_BYTES, HttpLimits.CHUNK_BYTES);
    this.places = places;
  }

  private int reservedBytes() {
    return Math.clamp(
        ALL_RESERVED_BYTES / Math.max(places.taken(), 1), LEAST_RESERVED_BYTES, RESERVED_BYTES);
  }

  /** Whether there was nothing but the reserve when bytes were read into this buffer. */
  static boolean isOfReserve(ByteBuf buffer) {
    return buffer.maxCapacity() <= RESERVED_BYTES;
  }

  /** Whether there is more than the reserve now: as much as one read may bring. */
  static boolean haveRoom(ByteBufAllocator allocator) {
    try {
      return allocator.ioBuffer(HttpLimits.CHUNK_BYTES).release();
    } catch (BudgetExceededError refused) {
      return false;
    }
  }

  @Override
  public Handle newHandle() {
    return new SmallWhenShort((ExtendedHandle) super.newHandle());
  }

  private final class SmallWhenShort extends DelegatingHandle implements ExtendedHandle {
    private final ExtendedHandle handle;
    private boolean isShort;

    SmallWhenShort(ExtendedHandle handle) {
      super(handle);
      this.handle = handle;
    }

    @Override
    public ByteBuf allocate(ByteBufAllocator allocator) {
      isShort = false;
      try {
        return super.allocate(allocator);
      } catch (BudgetExceededError refused) {
        isShort = true;
        int bytes = reservedBytes();
        return allocator.ioBuffer(bytes, bytes);
      }
    }

    @Override
    public boolean continueReading() {
      return !isShort && super.continueReading();
    }

    /** One small buffer for each time that somebody asks for bytes. */
    @Override
    public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
      return !isShort && handle.continueReading(maybeMoreData);
    }
  }
}
