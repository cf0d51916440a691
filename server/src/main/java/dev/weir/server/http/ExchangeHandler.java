package dev.weir.server.http;

import io.netty.buffer.ByteBuf;

/** What serves one request. All methods are called on the connection's event loop. */
interface ExchangeHandler {
  /** The head has come; may respond at once, else asks for the body. */
  void start(Exchange exchange);

  /**
   * A piece of the body has come, empty at times; takes it over. Asks for the next one with {@link
   * Exchange#readBody} unless this is the last.
   */
  default void body(ByteBuf piece, boolean last) {
    piece.release();
  }

  /** The socket takes more. */
  default void writable() {}

  /** The node is being stopped: what waits for events should end. */
  default void drain() {}

  /** The connection was lost, or the response is complete: lets go of everything. Called once. */
  default void close() {}
}
