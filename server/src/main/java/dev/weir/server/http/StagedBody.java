package dev.weir.server.http;

import dev.weir.memory.budget.BudgetExceededError;
import dev.weir.streams.Payload;
import dev.weir.streams.StreamStore;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A body in memory while it is small, with what it takes of the quota for such bodies. Belongs to
 * the connection's event loop, and is handed to an I/O thread as a whole.
 */
final class StagedBody {
  private static final int FIRST_BYTES = 8 << 10;

  private final StagingQuota quota;
  private final BodySource source;
  private final Supplier<ByteBufAllocator> memory;
  private @Nullable ByteBuf bytes;
  private long quotaBytes;

  /** For a body that comes from {@code source}, in what {@code memory} gives. */
  StagedBody(StagingQuota quota, BodySource source, Supplier<ByteBufAllocator> memory) {
    this.quota = quota;
    this.source = source;
    this.memory = memory;
  }

  /**
   * Copies a piece; false, with nothing copied, when the body has to go to a file.
   *
   * @param comma whether a comma follows the piece
   */
  boolean add(ByteBuf piece, boolean comma, boolean last) {
    int more = piece.readableBytes() + (comma ? 1 : 0);
    if (more == 0) {
      return true;
    }
    ByteBuf held = bytes;
    long needed = (held == null ? 0 : held.readableBytes()) + (long) more;
    if (needed > StreamStore.MAX_INLINE_BYTES) {
      return false;
    }
    ByteBuf target = held == null ? first(more, last) : grown(held, needed);
    if (target == null) {
      return false;
    }
    target.writeBytes(piece, piece.readerIndex(), piece.readableBytes());
    if (comma) {
      target.writeByte(',');
    }
    return true;
  }

  private @Nullable ByteBuf first(int more, boolean last) {
    long announced =
        Math.clamp(
            source.contentLength() + 1, last ? more : FIRST_BYTES, StreamStore.MAX_INLINE_BYTES);
    int capacity = (int) Math.max(last ? more : announced, more);
    if (source.contentLength() > StreamStore.MAX_INLINE_BYTES || !acquire(capacity)) {
      return null;
    }
    try {
      bytes = memory.get().directBuffer(capacity, StreamStore.MAX_INLINE_BYTES);
    } catch (BudgetExceededError noRoom) {
      return null;
    }
    return bytes;
  }

  private @Nullable ByteBuf grown(ByteBuf held, long needed) {
    if (needed > quotaBytes) {
      long capacity = Math.min(StreamStore.MAX_INLINE_BYTES, Math.max(needed, quotaBytes * 2));
      if (!acquire(capacity - quotaBytes)) {
        return null;
      }
      try {
        held.capacity((int) capacity);
      } catch (BudgetExceededError noRoom) {
        return null;
      }
    }
    return held;
  }

  private boolean acquire(long more) {
    if (!quota.tryAcquire(more)) {
      return false;
    }
    quotaBytes += more;
    return true;
  }

  /** What was added, without a copy; null for no bytes. */
  @Nullable ByteBuf bytes() {
    return bytes;
  }

  /** Hands the memory over to a payload. */
  Payload toPayload() {
    ByteBuf held = bytes;
    if (held == null) {
      return new Payload.None();
    }
    long heldQuotaBytes = quotaBytes;
    ByteBuffer contents = held.nioBuffer();
    Payload payload = new Payload.Inline(contents, () -> giveBack(held, heldQuotaBytes));
    bytes = null;
    quotaBytes = 0;
    return payload;
  }

  /** Gives everything back; once more does nothing. */
  void release() {
    ByteBuf held = bytes;
    long heldQuotaBytes = quotaBytes;
    bytes = null;
    quotaBytes = 0;
    giveBack(held, heldQuotaBytes);
  }

  private void giveBack(@Nullable ByteBuf held, long heldQuotaBytes) {
    try {
      if (held != null) {
        held.release();
      }
    } finally {
      quota.release(heldQuotaBytes);
    }
  }
}
