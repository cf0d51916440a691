package dev.weir.compression.http;

import dev.weir.compression.codec.Step;
import dev.weir.netty.log.FailureLog;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** A response that came whole, compressed: its length is known before a byte of it is written. */
final class WholeResponse {
  private static final FailureLog LOG = HttpResponseCompressor.UNCOMPRESSED;

  private final FullHttpResponse original;
  private final ByteBuf output;

  private WholeResponse(FullHttpResponse original, ByteBuf output) {
    this.original = original;
    this.output = output;
  }

  /**
   * Compresses the content of a response, which stays the caller's.
   *
   * @param encoding begins with so many bytes, or gives null
   * @return null where that is not worth it, or does not work
   */
  static @Nullable WholeResponse tryEncode(
      FullHttpResponse original,
      ResponsePlan plan,
      LongFunction<@Nullable EncodedContent> encoding) {
    ByteBuf content = original.content();
    try {
      if (!plan.required() && ContentSample.looksCompressed(content)) {
        return null;
      }
      EncodedContent encoded = encoding.apply(content.readableBytes());
      if (encoded == null) {
        return null;
      }
      WholeResponse whole = encode(original, encoded);
      if (plan.required() || whole.isShorter()) {
        return whole;
      }
      whole.output.release();
      return null;
    } catch (Throwable failure) {
      LOG.report("a response is not compressed", failure);
      return null;
    }
  }

  private static WholeResponse encode(FullHttpResponse original, EncodedContent encoded) {
    ByteBuf content = original.content();
    int start = content.readerIndex();
    ByteBuf output = null;
    WholeResponse whole = null;
    try {
      try (encoded) {
        output = encoded.encode(content, Step.END);
      }
      whole = new WholeResponse(original, output);
      return whole;
    } finally {
      content.readerIndex(start);
      if (whole == null && output != null) {
        output.release();
      }
    }
  }

  private boolean isShorter() {
    return output.readableBytes() < original.content().readableBytes();
  }

  /** Writes it in the place of the original, which is released. */
  void write(ChannelHandlerContext ctx, ResponsePlan plan, ChannelPromise promise) {
    FullHttpResponse compressed = null;
    try {
      compressed =
          new DefaultFullHttpResponse(
              original.protocolVersion(),
              original.status(),
              output,
              ResponseHeads.whole(original, plan.requireCoding(), output.readableBytes()),
              Digests.without(original.trailingHeaders()));
    } finally {
      original.release();
      if (compressed == null) {
        output.release();
      }
    }
    ctx.write(compressed, promise);
  }
}
