package dev.weir.netty.http;

import dev.weir.netty.write.OutboundClosing;
import dev.weir.netty.write.Outlet;
import dev.weir.netty.write.Owned;
import dev.weir.netty.write.Producer;
import dev.weir.netty.write.WriteGate;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpChunkedInput;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.handler.stream.ChunkedNioFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;

/** Answers a request with its body, and closes the channel. */
final class Echo extends SimpleChannelInboundHandler<FullHttpRequest> {
  private static final int PIECE_BYTES = 8 << 10;

  /** How the body of an answer is written. */
  enum Way {
    WHOLE,
    /** By a {@link Producer} that the write gate asks. */
    PULLED,
    /** A file, in pieces that {@code ChunkedWriteHandler} takes. */
    CHUNKED_INPUT,
    /** A file that the system sends. */
    FILE_REGION
  }

  private final Way way;
  private final Path folder;
  private final Consumer<? super Throwable> failures;

  /**
   * Writes answers one way.
   *
   * @param folder for the files of those that are sent from one
   * @param failures hears of what failed
   */
  Echo(Way way, Path folder, Consumer<? super Throwable> failures) {
    this.way = way;
    this.folder = folder;
    this.failures = failures;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request)
      throws IOException {
    ByteBuf content = request.content();
    ChannelFuture written =
        switch (way) {
          case WHOLE -> {
            ByteBuf copy = ctx.alloc().buffer(Math.max(1, content.readableBytes()));
            DefaultFullHttpResponse response =
                new DefaultFullHttpResponse(
                    HttpVersion.HTTP_1_1, HttpResponseStatus.OK, copy.writeBytes(content));
            HttpUtil.setContentLength(response, copy.readableBytes());
            yield Owned.send(ctx, response);
          }
          case PULLED -> {
            ctx.write(head(content));
            // It writes to the channel, and to the end of the answer with the last piece.
            yield WriteGate.pull(ctx.channel(), new Pieces(content.retain()));
          }
          case CHUNKED_INPUT -> {
            FileChannel file = file(content);
            ctx.write(head(content));
            yield Owned.send(
                ctx,
                new HttpChunkedInput(
                    new ChunkedNioFile(file, 0, content.readableBytes(), PIECE_BYTES)));
          }
          case FILE_REGION -> {
            FileChannel file = file(content);
            ctx.write(head(content));
            Owned.of(new DefaultFileRegion(file, 0, content.readableBytes())).writeTo(ctx);
            yield ctx.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
          }
        };
    written
        .addListener(end -> {
          if (!end.isSuccess()) {
            failures.accept(end.cause());
          }
        })
        .addListener(ChannelFutureListener.CLOSE);
  }

  private static HttpResponse head(ByteBuf content) {
    HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
    HttpUtil.setContentLength(head, content.readableBytes());
    return head;
  }

  private FileChannel file(ByteBuf content) throws IOException {
    FileChannel file =
        FileChannel.open(
            folder.resolve("answer-" + UUID.randomUUID()),
            Set.of(
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE,
                StandardOpenOption.DELETE_ON_CLOSE));
    content.getBytes(content.readerIndex(), file, 0L, content.readableBytes());
    return file;
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof SslHandshakeCompletionEvent handshake && !handshake.isSuccess()) {
      failures.accept(handshake.cause());
    } else if (event instanceof OutboundClosing closing) {
      failures.accept(new IOException(closing.message()));
    }
    ctx.fireUserEventTriggered(event);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable failure) {
    failures.accept(failure);
    ctx.close();
  }

  /** A body, piece by piece. */
  private static final class Pieces implements Producer {
    private final ByteBuf content;
    private boolean released;

    Pieces(ByteBuf content) {
      this.content = content;
    }

    @Override
    public void produce(Outlet outlet) {
      while (outlet.isReady()) {
        if (!content.isReadable()) {
          release();
          outlet.write(LastHttpContent.EMPTY_LAST_CONTENT);
          outlet.complete();
          return;
        }
        int bytes = Math.min(PIECE_BYTES, content.readableBytes());
        ByteBuf piece = outlet.alloc().buffer(bytes);
        outlet.write(new DefaultHttpContent(piece.writeBytes(content, bytes)));
      }
    }

    @Override
    public void stopped(Throwable cause) {
      release();
    }

    private void release() {
      if (!released) {
        released = true;
        content.release();
      }
    }
  }
}
