package dev.weir.replication.serve;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * Tells a client that speaks HTTP in the clear to a server with TLS what is wrong. In front of TLS;
 * gone after the first byte.
 */
final class ClearTextHint extends ChannelInboundHandlerAdapter {
  /** The content type of a TLS handshake. */
  private static final int HANDSHAKE = 22;

  private static final byte[] ANSWER = answer();

  private static byte[] answer() {
    String text = "this port speaks TLS; use https://\n";
    return ("HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nConnection: close\r\n"
            + "Content-Length: "
            + text.length()
            + "\r\n\r\n"
            + text)
        .getBytes(US_ASCII);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof ByteBuf bytes
        && bytes.isReadable()
        && bytes.getByte(bytes.readerIndex()) != HANDSHAKE) {
      bytes.release();
      ctx.writeAndFlush(Unpooled.wrappedBuffer(ANSWER)).addListener(ChannelFutureListener.CLOSE);
      return;
    }
    ctx.fireChannelRead(message);
    ctx.pipeline().remove(this);
  }
}
