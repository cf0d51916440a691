package dev.weir.compression.zstd;

import dev.weir.compression.codec.DirectBuffers;
import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * A {@link ByteBuffer} that is laid over one {@link ByteBuf} after the other, for a library that
 * takes nothing else: it spans a GiB of the address space, and for buffers that lie in that its
 * position and limit are all that changes. Netty's own views are two or three objects for each
 * call. Owned by one thread at a time.
 */
final class NativeWindow {
  private static final int SPAN_BYTES = 1 << 30;
  private static final int HALF_SPAN_BYTES = SPAN_BYTES / 2;
  private static final boolean IS_ALLOWED = isAllowed();

  private long base;
  private ByteBuffer span = ByteBuffer.allocateDirect(0);

  /** The span, or a buffer's own view where there is none. */
  private ByteBuffer shown = span;

  private int from;

  /** Nothing is in it yet. */
  NativeWindow() {}

  /** Whether this module may look at any memory ({@code --enable-native-access}). */
  @SuppressWarnings("restricted") // that is what is asked
  private static boolean isAllowed() {
    try {
      return MemorySegment.NULL.reinterpret(1).byteSize() == 1;
    } catch (IllegalCallerException denied) {
      return false;
    }
  }

  /**
   * Shows so many bytes of a buffer from an index on, until the next call.
   *
   * @param buffer direct, and in one piece; stays live while the view is used
   * @throws IllegalArgumentException if it is not
   */
  @SuppressWarnings("restricted") // only what is between position and limit is used
  void show(ByteBuf buffer, int index, int bytes) {
    DirectBuffers.require(buffer);
    if (bytes == 0) {
      shown = span.limit(0).position(0); // Wherever it lies: an empty last content is one object.
    } else if (!IS_ALLOWED || !buffer.hasMemoryAddress() || bytes > SPAN_BYTES) {
      shown = buffer.internalNioBuffer(index, bytes);
    } else {
      long address = buffer.memoryAddress() + index;
      if (address < base || address + bytes > base + span.capacity()) {
        base = bytes > HALF_SPAN_BYTES ? address : Math.max(0, address - HALF_SPAN_BYTES);
        span = MemorySegment.ofAddress(base).reinterpret(SPAN_BYTES).asByteBuffer();
      }
      int offset = (int) (address - base);
      shown = span.limit(offset + bytes).position(offset);
    }
    from = shown.position();
  }

  /** What is shown, from position to limit. Whatever lies beside them is none of the caller's. */
  ByteBuffer view() {
    return shown;
  }

  /** By how many bytes the view's position has advanced. */
  int passedBytes() {
    return shown.position() - from;
  }
}
