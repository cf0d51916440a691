package dev.weir.netty.flow;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http2.DecoratingHttp2FrameWriter;
import io.netty.handler.codec.http2.DefaultHttp2LocalFlowController;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2LocalFlowController;
import io.netty.handler.codec.http2.Http2Stream;
import org.jspecify.annotations.Nullable;

/** What HTTP/2 needs, so that a stream that is not read from stops nobody but itself. */
public final class Http2Windows {

  private Http2Windows() {}

  /**
   * Has the connection's window filled again as data arrives, whichever streams read it. Otherwise
   * streams that are not read from use it up, and with it the turn of those that hold memory and
   * must go on: a deadlock. What a connection can make its server queue is then the initial window
   * times its concurrent streams, both settings of the codec's builder, and four times that in
   * memory: a frame of 16 KiB keeps the receive buffer of 64 KiB that it came in. Leave that much
   * beside what is granted.
   *
   * <p>A client begins with HTTP/2's default window of 65,535 bytes and has it until it has
   * acknowledged the settings, which it may never do: a lower window does not bound that. A stream
   * that has sent more by then goes on when that has been read.
   *
   * <p>A stream of the client's that both sides have ended, or whose connection has gone, can bring
   * nothing more, and {@link ReadHolds} keep it from reading no longer: it is one of the concurrent
   * streams no more, and what it has queued is to go. Where handlers turn auto-read off that is
   * when they ask. What a stream that is held has queued goes with a reset, also without this.
   *
   * <p>A window that a client waits for and that could not be opened, for want of memory, ends the
   * connection: the client would wait for ever. The codec fires the failure, and says GOAWAY.
   *
   * @param codec of a connection that has exchanged no frame yet
   * @return the same codec
   */
  public static Http2FrameCodec perStream(Http2FrameCodec codec) {
    HeldStreams held = new HeldStreams(codec.connection());
    codec.connection().addListener(held);
    Http2LocalFlowController windows = new Windows(codec.connection(), held);
    windows.frameWriter(new HeardWindows(codec));
    codec.connection().local().flowController(windows);
    return codec;
  }

  /** Opens windows as bytes are consumed, and where that was before a setting lowered them. */
  private static final class Windows extends DefaultHttp2LocalFlowController {
    private final Http2Connection connection;
    private final HeldStreams held;

    Windows(Http2Connection connection, HeldStreams held) {
      super(connection, DEFAULT_WINDOW_UPDATE_RATIO, /* autoRefillConnectionWindow= */ true);
      this.connection = connection;
      this.held = held;
    }

    @Override
    public void channelHandlerContext(ChannelHandlerContext ctx) {
      held.belongTo(ctx.channel());
      super.channelHandlerContext(ctx);
    }

    @Override
    public void initialWindowSize(int newWindowSize) throws Http2Exception {
      super.initialWindowSize(newWindowSize);
      // There may be no more bytes to come whose consumption would open a stream's window.
      connection.forEachActiveStream(stream -> {
        incrementWindowSize(stream, 0);
        return true;
      });
    }

    /**
     * An end without data needs no window (RFC 9113, 6.9.1). Where a window was lowered twice, or
     * opened though not to above zero, the controller takes it for data that the client must not
     * send.
     */
    @Override
    public void receiveFlowControlledFrame(
        @Nullable Http2Stream stream, ByteBuf data, int padding, boolean endOfStream)
        throws Http2Exception {
      try {
        super.receiveFlowControlledFrame(stream, data, padding, endOfStream);
      } catch (Http2Exception.StreamException e) {
        if (!endOfStream || data.readableBytes() + padding > 0) {
          throw e;
        }
      }
    }
  }

  /** Hears of window updates that are lost: nobody else has their promises. */
  private static final class HeardWindows extends DecoratingHttp2FrameWriter {
    private final Http2FrameCodec codec;

    HeardWindows(Http2FrameCodec codec) {
      super(codec.encoder().frameWriter());
      this.codec = codec;
    }

    @Override
    public ChannelFuture writeWindowUpdate(
        ChannelHandlerContext ctx, int stream, int windowBytes, ChannelPromise promise) {
      return super.writeWindowUpdate(ctx, stream, windowBytes, promise)
          .addListener(written -> {
            if (!written.isSuccess()) {
              lost(ctx, stream, written.cause());
            }
          });
    }

    /**
     * Not before whatever has come is counted: who reads trailers, or hears of a reset, may read on
     * at once, and has the controller open a window that nobody waits for.
     */
    private void lost(ChannelHandlerContext ctx, int stream, Throwable cause) {
      Runnable end =
          () -> {
            if (ctx.channel().isOpen() && isAwaited(stream)) {
              codec.onError(ctx, /* outbound= */ false, cause);
            }
          };
      ctx.executor().execute(end);
    }

    private boolean isAwaited(int streamId) {
      Http2Stream stream = codec.connection().stream(streamId);
      return streamId == Http2CodecUtil.CONNECTION_STREAM_ID
          || (stream != null && stream.state().remoteSideOpen() && !stream.isResetSent());
    }
  }
}
