package dev.weir.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpRequestDecoder;
import java.util.List;

/**
 * Refuses requests whose end two readers could see at different places, and makes one message at a
 * time: {@link InputPacer} asks for each.
 */
final class StrictRequestDecoder extends HttpRequestDecoder {
  private boolean partTaken;
  private boolean starved;
  private long messages;

  StrictRequestDecoder() {
    super(
        new HttpDecoderConfig()
            .setMaxInitialLineLength(HttpLimits.MAX_REQUEST_LINE_BYTES)
            .setMaxHeaderSize(HttpLimits.MAX_HEADER_BYTES)
            .setMaxChunkSize(HttpLimits.CHUNK_BYTES));
    setSingleDecode(true);
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) throws Exception {
    int before = out.size();
    int bytes = in.readableBytes();
    super.decode(ctx, in, out);
    int made = out.size() - before;
    messages += made;
    starved = made == 0;
    if (!starved) {
      partTaken = false;
    } else if (in.readableBytes() < bytes) {
      partTaken = true;
    }
  }

  /** Whether bytes are left of which another message may be made without reading the socket. */
  boolean mayHaveMessage() {
    return !starved && actualReadableBytes() > 0;
  }

  /** Messages made so far. */
  long messages() {
    return messages;
  }

  /** Makes room in the buffer of bytes that are left, for those of the next read. */
  void compact() {
    discardSomeReadBytes();
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
