package dev.weir.server.http;

import dev.weir.server.metrics.Failure;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import org.jspecify.annotations.Nullable;

/**
 * What a protocol adds to an {@link HttpCarrier}: a connection of HTTP/1.1 is a line, and so is
 * each stream of HTTP/2. All methods are for the connection's event loop, and {@link #begin} is the
 * first.
 */
abstract class Line implements StallGuard.Carriage {
  private final SocketProgress output = new SocketProgress();
  private @Nullable HttpCarrier carrier;
  private @Nullable ChannelHandlerContext context;

  /** What becomes of a request whose head has come. */
  enum Admission {
    SERVED,
    /** It has no place, and is told so. */
    REFUSED,
    /** There is no place for the answer either. */
    NOT_ANSWERED
  }

  /** The carrier has come into its pipeline. */
  void begin(HttpCarrier ofThis, ChannelHandlerContext ctx) {
    carrier = ofThis;
    context = ctx;
  }

  final HttpCarrier carrier() {
    return required(carrier);
  }

  final ChannelHandlerContext context() {
    return required(context);
  }

  private static <T> T required(@Nullable T part) {
    if (part == null) {
      throw new IllegalStateException("the line has not begun");
    }
    return part;
  }

  /** The carrier has left its pipeline. */
  void removed() {}

  /** Whether there is one exchange, and the line ends with it. */
  abstract boolean endsWithExchange();

  /** The protocol, as ALPN names it. */
  abstract String protocol();

  /** Whether a client wants the line to end with the answer to a request. */
  boolean isLast(HttpRequest request) {
    return false;
  }

  /**
   * Completes the head of a response whose length is not known. Frames say where one ends.
   *
   * @return whether its end is the end of the line
   */
  boolean delimit(HttpRequest request, HttpResponse response) {
    return false;
  }

  /** Completes the head of any response, as the last thing before it is sent. */
  void finishHead(HttpRequest request, HttpResponse response, boolean last) {}

  /** The channel whose socket the answers leave by. */
  abstract Channel socket();

  @Override
  public final boolean outputMoves() {
    return output.hasMoved(socket());
  }

  Admission admit() {
    return Admission.SERVED;
  }

  /** Asks for one more message, however many reads of the socket it takes. */
  abstract void request();

  /** Whether all of the request has come, be it used or not. */
  boolean isInputComplete() {
    return false;
  }

  /** Drops what is left of a request's body, and what its client does not take of the answer. */
  void dropRest() {}

  /**
   * The last answer is written: ends the line when its client could read that.
   *
   * @return whether the carrier has to read on, and to close the channel at its client's end
   */
  abstract boolean beginEnd();

  /**
   * Ends a line on which no request has come for too long.
   *
   * @return {@code false} if that is a failure
   */
  abstract boolean endIdle();

  /** Counts what ends a line before its time. */
  abstract void count(Failure failure, Throwable cause);

  /**
   * Ends a line without an answer, when the carrier has let go.
   *
   * @param failure null where a request was not answered for want of places
   */
  abstract void abandon(@Nullable Failure failure);

  /** Sends an answer that takes no memory of the pool, and ends the line. */
  abstract void answer(Failure failure, @Nullable ActiveExchange failed);

  /** The carrier lets go of what it holds. */
  void letGo() {}
}
