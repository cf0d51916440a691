package dev.weir.compression.http;

import dev.weir.compression.codec.Decoder;
import dev.weir.compression.codec.DirectBuffers;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.codec.http.HttpResponseStatus;
import org.jspecify.annotations.Nullable;

/**
 * The content of one request on its way through a decoder, in buffers of bounded length, within the
 * limits: what {@link HttpRequestDecompressor} does, for those who read bodies and refuse them by
 * themselves. Used by one thread at a time. Once a method has thrown, it is to be closed.
 */
public final class DecodedContent implements AutoCloseable {
  private final Decoder decoder;
  private final RequestOptions options;
  private @Nullable ByteBuf source;
  private long sourceBytes;
  private long contentBytes;

  /** Takes a decoder over, at the beginning of its stream. */
  public DecodedContent(Decoder decoder, RequestOptions options) {
    this.decoder = decoder;
    this.options = options;
  }

  /** Whether {@link #next} has not come to the end of what it was given. */
  public boolean hasSource() {
    return source != null;
  }

  /**
   * Takes the next part over, whatever comes of it; {@link #hasSource} is false.
   *
   * @param allocator for a copy of a part that is not direct, or not in one piece
   * @throws RequestRefusal if more is sent than any content within the limits takes
   * @throws IllegalStateException if the last part has not come to its end
   */
  public void feed(ByteBuf part, ByteBufAllocator allocator) {
    if (source != null) {
      part.release();
      throw new IllegalStateException("the last part is not at its end");
    }
    sourceBytes += part.readableBytes();
    try {
      requireAcceptable(sourceBytes, options);
    } catch (RequestRefusal refusal) {
      part.release();
      throw refusal;
    }
    if (DirectBuffers.isUsable(part)) {
      source = part;
      return;
    }
    try {
      source = allocator.directBuffer(Math.max(part.readableBytes(), 1)).writeBytes(part);
    } finally {
      part.release();
    }
  }

  /**
   * Decompresses until there is a buffer of content, which is the caller's.
   *
   * @return null if there is no more in the part; then {@link #hasSource} is false
   * @throws RequestRefusal if a limit is exceeded
   * @throws dev.weir.compression.codec.CorruptInputException as {@link Decoder#decode}
   * @throws dev.weir.memory.budget.BudgetExceededError if there is no room for a buffer, or as
   *     {@link Decoder#decode}
   */
  public @Nullable ByteBuf next(ByteBufAllocator allocator) {
    ByteBuf part = source;
    if (part == null) {
      return null;
    }
    ByteBuf target = allocator.directBuffer(options.chunkBytes(), options.chunkBytes());
    try {
      boolean done = decoder.decode(part, target);
      int bytes = target.readableBytes();
      count(bytes);
      if (done) {
        source = null;
        part.release();
      }
      if (bytes > target.capacity() / 2) {
        ByteBuf full = target;
        target = null;
        return full;
      }
      return bytes == 0 ? null : allocator.directBuffer(bytes, bytes).writeBytes(target, bytes);
    } finally {
      if (target != null) {
        target.release();
      }
    }
  }

  /**
   * Looks at the length of what is sent, which a head may tell before any of it comes.
   *
   * @throws RequestRefusal if it is more than any content within the limits takes
   */
  static void requireAcceptable(long sentBytes, RequestOptions options) {
    if (sentBytes > options.maxSourceBytes()) {
      throw tooLarge("what was sent is longer than %,d bytes".formatted(options.maxSourceBytes()));
    }
  }

  private void count(int bytes) {
    contentBytes += bytes;
    if (contentBytes > options.maxBytes()) {
      throw tooLarge("the content is longer than %,d bytes".formatted(options.maxBytes()));
    }
    if (contentBytes > options.freeBytes() && contentBytes / options.maxRatio() > sourceBytes) {
      throw tooLarge(
          "the content is more than %d times as long as what was sent"
              .formatted(options.maxRatio()));
    }
  }

  private static RequestRefusal tooLarge(String reason) {
    return new RequestRefusal(HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE, reason);
  }

  /** Says that there is no more; throws as {@link Decoder#finish}. */
  public void finish() {
    decoder.finish();
  }

  /** Gives everything back, wherever the stream is. */
  @Override
  public void close() {
    ByteBuf part = source;
    source = null;
    if (part != null) {
      part.release();
    }
    decoder.close();
  }
}
