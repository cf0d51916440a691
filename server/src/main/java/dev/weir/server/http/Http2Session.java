package dev.weir.server.http;

import dev.weir.netty.flow.Http2Reads;
import dev.weir.netty.write.OutboundClosing;
import dev.weir.server.metrics.Failure;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.netty.handler.codec.http2.DefaultHttp2GoAwayFrame;
import io.netty.handler.codec.http2.DefaultHttp2PingFrame;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameStreamException;
import io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.netty.handler.codec.http2.Http2LocalFlowController;
import io.netty.handler.codec.http2.Http2PingFrame;
import io.netty.handler.codec.http2.Http2PriorityFrame;
import io.netty.handler.codec.http2.Http2RemoteFlowController;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2SettingsAckFrame;
import io.netty.handler.codec.http2.Http2SettingsFrame;
import io.netty.handler.codec.http2.Http2Stream;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One connection of HTTP/2: knows which streams are open, and when it may end. Its streams are
 * served by an {@link HttpCarrier} each. Goes between the codec and the multiplexer.
 *
 * <p>A connection has a place of the node's, and each stream beyond its first needs one more, so
 * that streams hold no more memory than connections could. As many more may wait for their clients
 * to take a refusal.
 *
 * <p>When the node is stopped, the client is told twice: what it sends before it has heard of the
 * first is served.
 */
final class Http2Session extends ChannelInboundHandlerAdapter {
  /** What a client has to say that it has heard the first call. */
  private static final long LAST_CALL = 0x7765_6972L;

  private static final long LAST_CALL_MILLIS = 1000;

  /** What it has to say that it has heard of the windows that were opened before. */
  private static final long WINDOWS = 0x7769_6e64L;

  private final Services services;
  private final ConnectionMemory memory;
  private final StallGuard guard;
  private final ControlFrames controlFrames = new ControlFrames();
  private final UnheardWindows unheard = new UnheardWindows();

  /** Of bodies, all streams together. */
  private long receivedBytes;

  private final Map<Integer, Http2Line> streams = new LinkedHashMap<>();
  private @Nullable ChannelHandlerContext context;
  private @Nullable Http2Connection connection;
  private int admittedStreams;
  private boolean draining;

  /** Whether it ends with its first stream. */
  private boolean endsWithFirstStream;

  /** No stream will be opened any more. */
  private boolean closing;

  /** What ends it is counted once, however many frames fail for it. */
  private boolean failed;

  private boolean inputEnded;
  private boolean ended;

  /** It ends for what its client has done: nothing of it is heard any more. */
  private boolean refused;

  /** The write of the last call, if it has been made. */
  private @Nullable ChannelFuture farewell;

  Http2Session(Services services, ConnectionMemory memory) {
    this.services = services;
    this.memory = memory;
    this.guard = new StallGuard(services.limits(), this::idle);
  }

  ConnectionMemory memory() {
    return memory;
  }

  boolean isDraining() {
    return draining;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
    guard.start(ctx.executor());
  }

  /** Before anything is written. */
  void begin(Http2Connection begun) {
    connection = begun;
  }

  /** The connection is for one request. */
  void endWithFirstStream() {
    endsWithFirstStream = true;
  }

  /** A stream begins; false when the node has no place for it. */
  boolean opened(int id, Http2Line stream) {
    streams.put(id, stream);
    services.metrics().streamOpened();
    guard.waiting();
    closing |= endsWithFirstStream;
    if (admittedStreams > 0 && !services.permits().tryTake()) {
      services.metrics().streamRefused();
      return false;
    }
    admittedStreams++;
    return true;
  }

  /** An admitted stream holds nothing any more. */
  void leavesItsPlace() {
    if (--admittedStreams > 0) {
      services.permits().giveBack();
    }
  }

  void closed(int id) {
    services.metrics().streamClosed();
    unheard.closed(id);
    if (streams.remove(id) != null && streams.isEmpty()) {
      guard.idle();
      endIfDone();
    }
  }

  /** The codec writes a piece of a stream. */
  void sends(int id, int bytes) {
    controlFrames.dataSent(bytes);
    unheard.sent(bytes);
    Http2Line stream = streams.get(id);
    if (stream != null && bytes > 0) {
      stream.carrier().guard().progress();
    }
  }

  /** A piece of a stream has come. */
  void receives(int bytes) {
    receivedBytes += bytes;
  }

  /** How much has come of all bodies of the connection: while it grows, its window is open. */
  long receivedBytes() {
    return receivedBytes;
  }

  /** Whether the client has said that more of a stream may be sent. */
  boolean hasWindow(int id) {
    Http2Connection of = connection;
    Http2Stream stream = of == null ? null : of.stream(id);
    if (of == null || stream == null) {
      return false;
    }
    Http2RemoteFlowController windows = of.remote().flowController();
    return windows.windowSize(stream) > 0 && windows.windowSize(of.connectionStream()) > 0;
  }

  /** The codec tells the client that it may send more: on a stream, or at all if it is 0. */
  void opensWindow(int id, int bytes) {
    if (id == 0 || streams.containsKey(id)) {
      unheard.opened(id, bytes);
    }
  }

  /**
   * Whether a client that has to send on a stream has used up its windows, as far as it is known to
   * have heard of them. It is asked what it has heard.
   *
   * @param sinceBytes {@link #receivedBytes} at the last look: who sends other bodies may send
   */
  boolean clientAwaitsWindow(int id, long sinceBytes) {
    ChannelHandlerContext ctx = context;
    if (ctx == null || ended || !isAwaited(id, sinceBytes)) {
      return false;
    }
    if (unheard.tryAsk()) {
      ctx.writeAndFlush(new DefaultHttp2PingFrame(WINDOWS));
    }
    return true;
  }

  private boolean isAwaited(int id, long sinceBytes) {
    Http2Connection of = connection;
    Http2Stream stream = of == null ? null : of.stream(id);
    if (of == null || stream == null) {
      return false;
    }
    Http2LocalFlowController windows = of.local().flowController();
    return unheard.isAwaited(id, windows.windowSize(stream))
        || (receivedBytes == sinceBytes
            && unheard.isAwaited(0, windows.windowSize(of.connectionStream())));
  }

  private void windowsHeard() {
    if (unheard.isAsking()) {
      streams.forEach((id, stream) -> {
        if (isAwaited(id, stream.seenBytes())) {
          stream.carrier().guard().windowHeard();
        }
      });
      unheard.heard();
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    switch (message) {
      case Http2SettingsAckFrame known -> {}
      case Http2SettingsFrame settings -> apply(ctx, settings.settings());
      case Http2PingFrame ping when ping.ack() -> {
        if (ping.content() == LAST_CALL) {
          lastCall(ctx);
        } else if (ping.content() == WINDOWS) {
          windowsHeard();
        }
      }
      case Http2PingFrame ping ->
          ctx.write(new DefaultHttp2PingFrame(ping.content(), /* ack= */ true));
      case Http2GoAwayFrame leaving -> {
        leaving.release();
        closing = true;
        endIfDone();
      }
      case Http2PriorityFrame ignored -> {}
      default -> ctx.fireChannelRead(message);
    }
  }

  /** The codec applies settings when they are acknowledged. */
  private void apply(ChannelHandlerContext ctx, Http2Settings settings) {
    Http2Connection of = connection;
    if (of == null || refused) {
      return;
    }
    String refusal = ClientSettings.refuse(settings, of);
    if (refusal == null) {
      ctx.write(Http2SettingsAckFrame.INSTANCE);
    } else {
      end(ctx, Http2Error.FLOW_CONTROL_ERROR, refusal);
    }
  }

  void requestCame() {
    controlFrames.requestCame();
  }

  /** A frame that carries nothing of a request. */
  void controlFrameCame() {
    ChannelHandlerContext ctx = context;
    if (ctx != null && !refused && controlFrames.isOneTooMany(System.nanoTime())) {
      end(ctx, Http2Error.ENHANCE_YOUR_CALM, "a client sends nothing but control frames");
    }
  }

  /** Ends a connection for what its client has done, be it that it ends already. */
  private void end(ChannelHandlerContext ctx, Http2Error error, String reason) {
    ended = true;
    refused = true;
    // The codec keeps settings that are not acknowledged, however many there are.
    ctx.pipeline().get(Http2Reads.class).readNoMore();
    if (error == Http2Error.ENHANCE_YOUR_CALM) {
      flood(ctx, reason);
    }
    count(Failure.PEER, new IllegalStateException(reason));
    closeLater(ctx);
    ctx.writeAndFlush(new DefaultHttp2GoAwayFrame(error)).addListener(told -> ctx.close());
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event == HttpCarrier.Signal.DRAIN) {
      drain(ctx);
    } else if (event instanceof ChannelInputShutdownEvent) {
      closing = true;
      inputEnded = true;
      each(Http2Line::inputOver);
      if (ended) {
        ctx.close();
      } else {
        endIfDone();
        // Nor does it open windows: what they allow is written, for a moment.
        closeLater(ctx);
      }
    } else if (event instanceof OutboundClosing closing) {
      Failure failure = Failure.of(closing);
      if (failure != null) {
        count(failure, new IOException(closing.message()));
      }
    } else if (event instanceof ChannelOutputShutdownEvent && !ended) {
      // Not this class's doing: a write failed, and no other can follow it.
      ctx.close();
    } else {
      ctx.fireUserEventTriggered(event);
    }
  }

  private void drain(ChannelHandlerContext ctx) {
    if (draining) {
      return;
    }
    draining = true;
    ctx.write(new DefaultHttp2GoAwayFrame(Http2Error.NO_ERROR).setExtraStreamIds(1 << 30));
    ctx.writeAndFlush(new DefaultHttp2PingFrame(LAST_CALL));
    ctx.executor().schedule(() -> lastCall(ctx), LAST_CALL_MILLIS, TimeUnit.MILLISECONDS);
    each(stream -> stream.carrier().drain());
  }

  private void lastCall(ChannelHandlerContext ctx) {
    if (draining && !closing) {
      closing = true;
      farewell = ctx.writeAndFlush(new DefaultHttp2GoAwayFrame(Http2Error.NO_ERROR));
    }
    endIfDone();
  }

  /** A client that does not read hears of no end: it is not waited for. */
  private static void closeLater(ChannelHandlerContext ctx) {
    ctx.executor().schedule(() -> ctx.close(), HttpLimits.LINGER.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Streams may end meanwhile. */
  private void each(Consumer<Http2Line> action) {
    List.copyOf(streams.values()).forEach(action);
  }

  /** There has been no stream for too long. */
  private void idle() {
    ChannelHandlerContext ctx = context;
    if (ctx != null && !ended && TlsSession.isHalfway(ctx.channel())) {
      count(Failure.STALLED, new IOException("no byte moved"));
    }
    end();
  }

  private void endIfDone() {
    if (closing && streams.isEmpty()) {
      end();
    }
  }

  private void end() {
    ChannelHandlerContext ctx = context;
    if (ctx != null && !ended) {
      ended = true;
      closeLater(ctx);
      // The codec writes no second one with the same last stream, and says that it has.
      ChannelFuture written =
          farewell == null
              ? ctx.writeAndFlush(new DefaultHttp2GoAwayFrame(Http2Error.NO_ERROR))
              : farewell;
      written.addListener(told -> {
        if (told.isSuccess() && !inputEnded) {
          // The codec reads on by itself.
          HalfClose.begin(ctx);
        } else {
          ctx.close();
        }
      });
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof Http2FrameStreamException) {
      // Of one stream, which the multiplexer tells of it.
      ctx.fireExceptionCaught(cause);
    } else if (!Failure.isAftermath(cause, ctx.channel().isOpen())) {
      count(Failure.of(cause), cause);
      Http2Exception broken = Http2CodecUtil.getEmbeddedHttp2Exception(cause);
      if (broken != null) {
        if (broken.error() == Http2Error.ENHANCE_YOUR_CALM) {
          flood(ctx, String.valueOf(broken.getMessage()));
        }
        // The codec tells the client, and closes the connection.
        ended = true;
      } else {
        ctx.close();
      }
    }
  }

  private void flood(ChannelHandlerContext ctx, String reason) {
    services.metrics().conditions().flood(ctx.channel().remoteAddress() + ", " + reason);
  }

  private void count(Failure failure, Throwable cause) {
    if (!failed) {
      failed = true;
      services.metrics().connectionFailed(failure, cause);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    ended = true;
    guard.stop();
    ctx.fireChannelInactive();
  }
}
