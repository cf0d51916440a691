package dev.weir.lab.compressed;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * Answers each request with a text that comes a piece at a time, as from a store or another
 * service, and keeps what a slow client cannot take yet. When the client has gone it writes what it
 * kept, as services do to have the buffers released and the writes' promises failed: a write takes
 * its message over, on a closed channel too.
 */
final class Feeder extends SimpleChannelInboundHandler<HttpRequest> {
  private static final int PIECE_BYTES = 16 << 10;

  private final byte[] text;
  private final Queue<ByteBuf> kept = new ArrayDeque<>();

  /** What has come of the text for the response under way. */
  private int come;

  private boolean answering;

  Feeder(byte[] text) {
    this.text = text;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, HttpRequest request) {
    HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
    head.headers()
        .set(HttpHeaderNames.CONTENT_TYPE, "application/json")
        .set(HttpHeaderNames.CONTENT_LENGTH, text.length);
    ctx.write(head);
    come = 0;
    answering = true;
    pieceComes(ctx);
  }

  private void pieceComes(ChannelHandlerContext ctx) {
    if (!answering) {
      return;
    }
    int bytes = Math.min(PIECE_BYTES, text.length - come);
    try {
      kept.add(ctx.alloc().directBuffer(bytes).writeBytes(text, come, bytes));
    } catch (OutOfMemoryError noMemory) {
      ctx.close();
      return;
    }
    come += bytes;
    if (come < text.length) {
      ctx.executor().execute(() -> pieceComes(ctx));
    }
    pass(ctx);
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (answering) {
      pass(ctx);
    }
  }

  private void pass(ChannelHandlerContext ctx) {
    ByteBuf piece;
    while (ctx.channel().isWritable() && (piece = kept.poll()) != null) {
      ctx.write(new DefaultHttpContent(piece));
    }
    if (kept.isEmpty() && come == text.length && answering) {
      answering = false;
      ctx.write(LastHttpContent.EMPTY_LAST_CONTENT);
    }
    ctx.flush();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    answering = false;
    ByteBuf piece;
    while ((piece = kept.poll()) != null) {
      ctx.write(new DefaultHttpContent(piece));
    }
    ctx.fireChannelInactive();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    ctx.close();
  }
}
