package dev.weir.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpRequestDecoder;
import java.util.List;

/** Refuses requests whose end two readers could see at different places. */
final class StrictRequestDecoder extends HttpRequestDecoder {
  private boolean partTaken;

  StrictRequestDecoder() {
    super(
        new HttpDecoderConfig()
            .setMaxInitialLineLength(HttpLimits.MAX_REQUEST_LINE_BYTES)
            .setMaxHeaderSize(HttpLimits.MAX_HEADER_BYTES)
            .setMaxChunkSize(HttpLimits.CHUNK_BYTES));
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) throws Exception {
    int messages = out.size();
    int bytes = in.readableBytes();
    super.decode(ctx, in, out);
    if (out.size() > messages) {
      partTaken = false;
    } else if (in.readableBytes() < bytes) {
      partTaken = true;
    }
  }

  /** Whether a part of the next message has come, but not enough of it. */
  boolean isHalfway() {
    return partTaken || actualReadableBytes() > 0;
  }

  @Override
  protected void handleTransferEncodingChunkedWithContentLength(HttpMessage message) {
    throw new IllegalArgumentException("both Content-Length and Transfer-Encoding");
  }
}
