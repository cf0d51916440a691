package dev.weir.netty.flow;

import dev.weir.netty.refusal.MemoryRefusals;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Input that came before it was asked for. It is copied, whatever it came in: frames of a few bytes
 * would take dozens of times their memory as objects, and a piece of a receive buffer keeps all of
 * that. There is one buffer, or several while memory is short. For one event loop.
 */
final class HeldInput {
  private static final int SMALLEST_BYTES = 256;

  /** What a pool keeps a reserve for. */
  private static final int RESERVED_BYTES = 4 << 10;

  private final Watch watch;

  /** In the order in which it came. */
  private final ArrayDeque<ByteBuf> buffers = new ArrayDeque<>(1);

  /** Hears of what is held. */
  interface Watch {
    /** Hears nothing. */
    Watch NONE =
        new Watch() {
          @Override
          public void held(int bytes) {}

          @Override
          public void letGo(int bytes) {}

          @Override
          public void heldInReserve() {}
        };

    /** So much more is held. */
    void held(int bytes);

    /** So much of it was handed on or dropped. */
    void letGo(int bytes);

    /** Memory was refused, but for small buffers. */
    void heldInReserve();
  }

  HeldInput(Watch watch) {
    this.watch = watch;
  }

  boolean isEmpty() {
    return buffers.isEmpty();
  }

  /**
   * Copies {@code bytes}, which stay the caller's.
   *
   * @throws OutOfMemoryError if there is no room for small buffers either
   */
  void add(ByteBufAllocator allocator, ByteBuf bytes) {
    ByteBuf last = buffers.peekLast();
    int length = bytes.readableBytes();
    try {
      if (last == null) {
        last = allocator.directBuffer(Math.max(SMALLEST_BYTES, length));
        buffers.add(last);
      }
      last.writeBytes(bytes, bytes.readerIndex(), length);
      watch.held(length);
    } catch (OutOfMemoryError refused) {
      MemoryRefusals.require(refused);
      addInReserve(allocator, bytes);
    }
  }

  private void addInReserve(ByteBufAllocator allocator, ByteBuf bytes) {
    watch.heldInReserve();
    for (int from = bytes.readerIndex(); from < bytes.writerIndex(); ) {
      int length = Math.min(RESERVED_BYTES, bytes.writerIndex() - from);
      buffers.add(allocator.directBuffer(length).writeBytes(bytes, from, length));
      watch.held(length);
      from += length;
    }
  }

  /** Hands over the first buffer, or null. */
  @Nullable ByteBuf poll() {
    ByteBuf first = buffers.poll();
    if (first != null) {
      watch.letGo(first.readableBytes());
    }
    return first;
  }

  void release() {
    for (ByteBuf next = poll(); next != null; next = poll()) {
      next.release();
    }
  }
}
