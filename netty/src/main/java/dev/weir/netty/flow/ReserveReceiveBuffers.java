package dev.weir.netty.flow;

import dev.weir.netty.refusal.MemoryRefusals;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import java.util.function.IntSupplier;

/**
 * What sockets are read with: small buffers while the pool has no room for others, since a read
 * that gets none at all ends its connection. A pool keeps a reserve for blocks of that size.
 */
@SuppressWarnings("deprecation") // Handle: Netty has nothing in its place yet
public final class ReserveReceiveBuffers extends AdaptiveRecvByteBufAllocator {
  /** The most that is read at once. */
  public static final int MAX_BYTES = 64 << 10;

  private static final int FIRST_BYTES = 4 << 10;
  private static final int SMALLEST_BYTES = 512;

  /** Half of what counts as small, so that the reserve serves twice as many connections. */
  private static final int RESERVED_BYTES = 2 << 10;

  private static final int LEAST_RESERVED_BYTES = 256;

  /**
   * A quarter of the largest reserve. Each connection may hold three such buffers, two that wait
   * and one on its way to the disk.
   */
  private static final int ALL_RESERVED_BYTES = 256 << 10;

  private final IntSupplier connections;

  /**
   * For the channels of a server.
   *
   * @param connections how many share the reserve now: the more, the smaller are its buffers. Asked
   *     on any event loop
   */
  public ReserveReceiveBuffers(IntSupplier connections) {
    super(SMALLEST_BYTES, FIRST_BYTES, MAX_BYTES);
    this.connections = connections;
  }

  private int reservedBytes() {
    return Math.clamp(
        ALL_RESERVED_BYTES / Math.max(connections.getAsInt(), 1),
        LEAST_RESERVED_BYTES,
        RESERVED_BYTES);
  }

  /** Whether there was nothing but the reserve when bytes were read into this buffer. */
  static boolean isOfReserve(ByteBuf buffer) {
    return buffer.maxCapacity() <= RESERVED_BYTES;
  }

  /** Whether there is more than the reserve now: as much as one read may bring. */
  static boolean haveRoom(ByteBufAllocator allocator) {
    try {
      return allocator.ioBuffer(MAX_BYTES).release();
    } catch (OutOfMemoryError refused) {
      MemoryRefusals.require(refused);
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
      } catch (OutOfMemoryError refused) {
        MemoryRefusals.require(refused);
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
