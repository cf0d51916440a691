package dev.weir.compression.http;

import dev.weir.compression.codec.Encoder;
import dev.weir.compression.codec.Step;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.ArrayDeque;

/** A response that came whole, compressed: its length is known before a byte of it is written. */
final class WholeResponse {
  private final FullHttpResponse original;
  private final ArrayDeque<ByteBuf> output;
  private final long bytes;

  private WholeResponse(FullHttpResponse original, ArrayDeque<ByteBuf> output) {
    this.original = original;
    this.output = output;
    this.bytes = output.stream().mapToLong(ByteBuf::readableBytes).sum();
  }

  /**
   * Compresses the content of a response, which stays the caller's.
   *
   * @param encoder closed in any case
   */
  static WholeResponse encode(
      FullHttpResponse original, Encoder encoder, ByteBufAllocator allocator, int chunkBytes) {
    ByteBuf content = original.content();
    int start = content.readerIndex();
    try (EncodedContent encoded = new EncodedContent(encoder, allocator, chunkBytes)) {
      return new WholeResponse(original, encoded.encode(content, Step.END));
    } finally {
      content.readerIndex(start);
    }
  }

  boolean isShorter() {
    return bytes < original.content().readableBytes();
  }

  /** Writes it in the place of the original, which is released. */
  void write(ChannelHandlerContext ctx, ResponsePlan plan, ChannelPromise promise) {
    HttpHeaders headers = ResponseHeads.whole(original, plan.requireCoding(), bytes);
    HttpHeaders trailers = original.trailingHeaders();
    original.release();
    if (output.size() <= 1) {
      ByteBuf content = output.isEmpty() ? Unpooled.EMPTY_BUFFER : output.remove();
      ctx.write(
          new DefaultFullHttpResponse(
              original.protocolVersion(), original.status(), content, headers, trailers),
          promise);
      return;
    }
    ctx.write(new DefaultHttpResponse(original.protocolVersion(), original.status(), headers));
    while (!output.isEmpty()) {
      ctx.write(new DefaultHttpContent(output.remove()));
    }
    ctx.write(new DefaultLastHttpContent(Unpooled.EMPTY_BUFFER, trailers), promise);
  }

  /** Gives the output up. */
  void release() {
    output.forEach(ByteBuf::release);
    output.clear();
  }
}
