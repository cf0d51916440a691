package dev.weir.server.http;

import dev.weir.server.metrics.Failure;
import io.netty.channel.ChannelHandlerContext;

/**
 * What carries an exchange: a connection of HTTP/1, or a stream of HTTP/2. All methods are for the
 * connection's event loop.
 */
interface Carrier {
  /** Asks for one more message of the request. */
  void requestMessage(ChannelHandlerContext ctx);

  /** Sees to it that the client's end is noticed, although nothing of the request is needed. */
  void readAhead(ChannelHandlerContext ctx);

  /** Whether {@code exchange} is the one that is carried now. */
  boolean isUnderWay(ActiveExchange exchange);

  /** Whether no further request is wanted, which the response has to say. */
  boolean isDraining();

  /** The response is written. */
  void finished(ActiveExchange done);

  /** An exchange failed; one that is over by then harms nobody. */
  void failed(ActiveExchange failed, Failure failure, Throwable cause);
}
