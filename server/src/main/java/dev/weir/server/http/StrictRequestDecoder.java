package dev.weir.server.http;

import dev.weir.netty.flow.SingleMessages;
import dev.weir.netty.flow.SocketIntake;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpRequestDecoder;
import java.util.List;

/**
 * Refuses requests whose end two readers could see at different places, and makes one message at a
 * time: {@link SocketIntake} asks for each.
 */
final class StrictRequestDecoder extends HttpRequestDecoder implements SingleMessages {
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

  @Override
  public boolean mayHaveMessage() {
    return !starved && actualReadableBytes() > 0;
  }

  @Override
  public long messages() {
    return messages;
  }

  @Override
  public void compact() {
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
