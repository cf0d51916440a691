package dev.weir.server.http;

import dev.weir.server.metrics.Failure;
import io.netty.channel.ChannelHandlerContext;
import org.jspecify.annotations.Nullable;

/**
 * What carries an exchange: a connection of HTTP/1, or a stream of HTTP/2. All methods are for the
 * connection's event loop.
 */
interface Carrier extends StallGuard.Carriage {
  /** Asks for one more message of the request. */
  void requestMessage(ChannelHandlerContext ctx);

  /** Sees to it that the client's end is noticed, although nothing of the request is needed. */
  void readAhead(ChannelHandlerContext ctx);

  /** The exchange that is carried now, if there is one. */
  @Nullable ActiveExchange underWay();

  /** Whether no further request is wanted, which the response has to say. */
  boolean isDraining();

  /** The response is written. */
  void finished(ActiveExchange done);

  /** An exchange failed; one that is over by then harms nobody. */
  void failed(ActiveExchange failed, Failure failure, Throwable cause);
}
