package dev.weir.lab.service;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The service under test: takes a whole body, holds it for a while as a service does that works on
 * it, then releases it and answers with its CRC-32C. Remembers the first failure.
 */
@Sharable
public final class HoldThenAnswer extends ChannelInboundHandlerAdapter {
  private final int holdMillis;
  private final AtomicReference<@Nullable Throwable> firstFailure = new AtomicReference<>();

  /** Holds each body for so long. */
  public HoldThenAnswer(int holdMillis) {
    this.holdMillis = holdMillis;
  }

  /** The first exception on any connection; null if there was none. */
  public @Nullable Throwable firstFailure() {
    return firstFailure.get();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    FullHttpRequest request = (FullHttpRequest) message;
    String checksum = Long.toHexString(checksum(request.content()));
    ctx.executor()
        .schedule(
            () -> {
              request.release();
              ctx.writeAndFlush(answer(checksum)).addListener(ChannelFutureListener.CLOSE);
            },
            holdMillis,
            TimeUnit.MILLISECONDS);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable failure) {
    firstFailure.compareAndSet(null, failure);
    ctx.close();
  }

  private static long checksum(ByteBuf content) {
    CRC32C crc = new CRC32C();
    for (ByteBuffer part : content.nioBuffers()) {
      crc.update(part);
    }
    return crc.getValue();
  }

  private static FullHttpResponse answer(String checksum) {
    FullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1,
            HttpResponseStatus.OK,
            Unpooled.wrappedBuffer(checksum.getBytes(US_ASCII)));
    response
        .headers()
        .set(HttpHeaderNames.CONTENT_LENGTH, checksum.length())
        .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    return response;
  }
}
