package dev.weir.server.http;

/** Where a request's body comes from. For the connection's event loop. */
interface BodySource {
  /** The body's length; −1 where that is not known, 0 without a body. */
  long contentLength();

  /** Asks for the body's next piece. */
  void readBody();
}
