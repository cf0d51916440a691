package dev.weir.netty.transport;

import dev.weir.netty.refusal.MemoryRefusals;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.uring.IoUringBufferRingAllocator;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes the buffers of a ring, and small ones of the JVM's own memory where it is refused them.
 * Netty 4.2.18 drops what it has just read when a refill fails, and with it, or at the next one,
 * the ring. The channel whose read needs such a buffer is closed: so there are at most as many as
 * the rings have entries, and those of channels that are about to let go of theirs.
 */
final class RefillAllocator implements IoUringBufferRingAllocator {
  private static final int SUBSTITUTE_BYTES = 1 << 10;

  /** The last refusal on this event loop that its channel has not been told of. */
  private static final ThreadLocal<@Nullable OutOfMemoryError> REFUSAL = new ThreadLocal<>();

  private final IoUringBufferRingAllocator allocator;

  RefillAllocator(IoUringBufferRingAllocator allocator) {
    this.allocator = allocator;
  }

  /** The refusal since the last call on this thread, if there was one. */
  static @Nullable OutOfMemoryError takeRefusal() {
    OutOfMemoryError refusal = REFUSAL.get();
    if (refusal != null) {
      REFUSAL.remove();
    }
    return refusal;
  }

  @Override
  public ByteBuf allocate() {
    try {
      return allocator.allocate();
    } catch (OutOfMemoryError refused) {
      MemoryRefusals.require(refused);
      return substitute(refused);
    }
  }

  @Override
  public void allocateBatch(Consumer<ByteBuf> ring, int buffers) {
    Counter counted = new Counter(ring);
    try {
      allocator.allocateBatch(counted, buffers);
    } catch (OutOfMemoryError refused) {
      MemoryRefusals.require(refused);
      while (counted.buffers < buffers) {
        counted.accept(substitute(refused));
      }
    }
  }

  @Override
  public void lastBytesRead(int attempted, int actual) {
    allocator.lastBytesRead(attempted, actual);
  }

  private static ByteBuf substitute(OutOfMemoryError refused) {
    REFUSAL.set(refused);
    return UnpooledByteBufAllocator.DEFAULT.directBuffer(SUBSTITUTE_BYTES, SUBSTITUTE_BYTES);
  }

  private static final class Counter implements Consumer<ByteBuf> {
    private final Consumer<ByteBuf> ring;
    private int buffers;

    Counter(Consumer<ByteBuf> ring) {
      this.ring = ring;
    }

    @Override
    public void accept(ByteBuf buffer) {
      buffers++;
      ring.accept(buffer);
    }
  }
}
