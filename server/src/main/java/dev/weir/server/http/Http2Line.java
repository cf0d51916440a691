package dev.weir.server.http;

import dev.weir.netty.flow.StreamIntake;
import dev.weir.server.metrics.Failure;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2StreamChannel;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A stream of HTTP/2: one exchange, whose end harms no other stream. */
final class Http2Line extends Line {
  private static final String PROTOCOL = "h2";

  private final Services services;
  private final Http2Session session;
  private final StreamIntake input;
  private boolean admitted;

  /** Whether it has no place, and one of those in which refusals wait for their ends. */
  private boolean refused;

  /** What had come of all bodies of the connection when this one was looked at last. */
  private long seenBytes;

  /** The end of a stream that is given a moment. */
  private @Nullable Future<?> ending;

  Http2Line(Services services, Http2Session session, StreamIntake input) {
    this.services = services;
    this.session = session;
    this.input = input;
  }

  @Override
  void begin(HttpCarrier ofThis, ChannelHandlerContext ctx) {
    super.begin(ofThis, ctx);
    admitted = session.opened(id(), this);
    if (session.isDraining()) {
      ofThis.drain();
    }
  }

  @Override
  void removed() {
    session.closed(id());
  }

  private int id() {
    return ((Http2StreamChannel) context().channel()).stream().id();
  }

  @Override
  Channel socket() {
    return context().channel().parent();
  }

  /** Without a window the stream waits for its turn. */
  @Override
  public boolean mayRespond() {
    return session.hasWindow(id());
  }

  @Override
  public boolean clientAwaitsWindow() {
    long sinceBytes = seenBytes;
    seenBytes = session.receivedBytes();
    return session.clientAwaitsWindow(id(), sinceBytes);
  }

  @Override
  public long unreadNanos() {
    return input.unreadNanos();
  }

  /** {@link Http2Session#receivedBytes} at the last look at this stream. */
  long seenBytes() {
    return seenBytes;
  }

  /** The client sends nothing more, on any stream: what has come whole is answered. */
  void inputOver() {
    ActiveExchange exchange = carrier().underWay();
    if (!input.isComplete() || (exchange != null && exchange.watching())) {
      carrier().close();
    }
  }

  @Override
  boolean endsWithExchange() {
    return true;
  }

  @Override
  String protocol() {
    return PROTOCOL;
  }

  @Override
  Admission admit() {
    if (admitted) {
      return Admission.SERVED;
    }
    // No more heads are kept than there are places for answers that clients may not take.
    refused = services.refusals().tryTake();
    return refused ? Admission.REFUSED : Admission.NOT_ANSWERED;
  }

  @Override
  void request() {
    input.request();
  }

  @Override
  boolean isInputComplete() {
    return input.isComplete();
  }

  /**
   * Takes what is under way, one window at most, before it resets the stream: frames that come
   * after that are errors to the codec, and each would be answered. A stream whose answer may wait
   * for its client for ever is reset a moment later.
   */
  @Override
  void dropRest() {
    input.drop();
    if (context().channel().isOpen() && ending == null) {
      ending =
          context()
              .executor()
              .schedule(
                  () -> reset(Http2Error.NO_ERROR),
                  HttpLimits.LINGER.toMillis(),
                  TimeUnit.MILLISECONDS);
    }
  }

  @Override
  boolean beginEnd() {
    dropRest();
    return false;
  }

  private void reset(Http2Error reason) {
    carrier().letGo();
    // Past a compressor, which takes nothing but contents amid a response.
    ChannelHandlerContext front = context().pipeline().firstContext();
    if (front != null) {
      front.writeAndFlush(new DefaultHttp2ResetFrame(reason));
    }
    context().close();
  }

  /** Nobody begins a stream without a request. */
  @Override
  boolean endIdle() {
    return false;
  }

  @Override
  void count(Failure failure, Throwable cause) {
    services.metrics().streamFailed(failure, cause);
  }

  @Override
  void abandon(@Nullable Failure failure) {
    reset(
        switch (failure) {
          case null -> Http2Error.REFUSED_STREAM;
          case PEER, TLS, STALLED -> Http2Error.CANCEL;
          case MEMORY, ERROR -> Http2Error.INTERNAL_ERROR;
        });
  }

  @Override
  void answer(Failure failure, @Nullable ActiveExchange failed) {
    dropRest();
    FixedAnswer answer = FixedAnswer.to(failure, services.metrics(), PROTOCOL, failed);
    context()
        .writeAndFlush(answer.message())
        .addListener(written ->
            reset(written.isSuccess() ? Http2Error.NO_ERROR : Http2Error.INTERNAL_ERROR));
  }

  @Override
  void letGo() {
    if (admitted) {
      // Streams that are reset may be many before the first of their channels is taken apart.
      admitted = false;
      session.leavesItsPlace();
    }
    if (refused) {
      refused = false;
      services.refusals().giveBack();
    }
    Future<?> timer = ending;
    ending = null;
    if (timer != null) {
      timer.cancel(false);
    }
  }
}
