package dev.weir.lab.slowclients;

import dev.weir.lab.load.RandomBody;
import dev.weir.netty.write.Outlet;
import dev.weir.netty.write.Producer;
import dev.weir.netty.write.WriteGate;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpChunkedInput;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.stream.ChunkedInput;
import java.nio.ByteBuffer;

/** The ways in which a server sends a body of which it need not have all at once. */
enum Downloads {
  /** One buffer of the whole body, as many services answer. */
  WHOLE {
    @Override
    ChannelFuture send(ChannelHandlerContext ctx, RandomBody body) {
      ByteBuf whole = ctx.alloc().directBuffer((int) body.lengthBytes());
      for (long at = 0; at < body.lengthBytes(); at = whole.writerIndex()) {
        whole.writeBytes(body.slice(at, CHUNK_BYTES));
      }
      DefaultFullHttpResponse response =
          new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, whole);
      describe(response, body);
      return ctx.writeAndFlush(response);
    }
  },

  /** Netty's {@code ChunkedWriteHandler}, which must be in the pipeline. */
  CHUNKED {
    @Override
    ChannelFuture send(ChannelHandlerContext ctx, RandomBody body) {
      ctx.write(head(body));
      return ctx.writeAndFlush(new HttpChunkedInput(new BodyInput(body)));
    }
  },

  /** Weir's {@code WriteGate}, which must be in the pipeline. */
  PULLED {
    @Override
    ChannelFuture send(ChannelHandlerContext ctx, RandomBody body) {
      return WriteGate.pull(ctx.channel(), new BodyProducer(body));
    }
  };

  private static final int CHUNK_BYTES = 16 << 10;

  /** Begins to answer with a body, and tells when it has been written. */
  abstract ChannelFuture send(ChannelHandlerContext ctx, RandomBody body);

  /** Answers with a body, and closes the connection after it. */
  final void answer(ChannelHandlerContext ctx, RandomBody body) {
    send(ctx, body).addListener(ChannelFutureListener.CLOSE);
  }

  private static HttpResponse head(RandomBody body) {
    HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
    describe(head, body);
    return head;
  }

  private static void describe(HttpResponse response, RandomBody body) {
    response
        .headers()
        .set(HttpHeaderNames.CONTENT_LENGTH, body.lengthBytes())
        .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
  }

  private static ByteBuf chunk(ByteBufAllocator allocator, RandomBody body, long at) {
    ByteBuffer bytes = body.slice(at, CHUNK_BYTES);
    return allocator.directBuffer(bytes.remaining()).writeBytes(bytes);
  }

  private static final class BodyProducer implements Producer {
    private final RandomBody body;
    private boolean begun;
    private long at;

    BodyProducer(RandomBody body) {
      this.body = body;
    }

    @Override
    public void produce(Outlet outlet) {
      while (outlet.isReady()) {
        if (!begun) {
          begun = true;
          outlet.write(head(body));
        } else if (at < body.lengthBytes()) {
          ByteBuf chunk = chunk(outlet.alloc(), body, at);
          at += chunk.readableBytes();
          outlet.write(new DefaultHttpContent(chunk));
        } else {
          outlet.write(LastHttpContent.EMPTY_LAST_CONTENT);
          outlet.complete();
          return;
        }
      }
    }
  }

  private static final class BodyInput implements ChunkedInput<ByteBuf> {
    private final RandomBody body;
    private long at;

    BodyInput(RandomBody body) {
      this.body = body;
    }

    @Override
    public boolean isEndOfInput() {
      return at == body.lengthBytes();
    }

    @Override
    public void close() {}

    @Override
    @Deprecated
    @SuppressWarnings("InlineMeSuggester") // The interface still asks for it.
    public ByteBuf readChunk(ChannelHandlerContext ctx) {
      return readChunk(ctx.alloc());
    }

    @Override
    public ByteBuf readChunk(ByteBufAllocator allocator) {
      ByteBuf chunk = chunk(allocator, body, at);
      at += chunk.readableBytes();
      return chunk;
    }

    @Override
    public long length() {
      return body.lengthBytes();
    }

    @Override
    public long progress() {
      return at;
    }
  }
}
