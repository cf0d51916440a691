package dev.weir.netty.http;

import io.netty.handler.codec.http.HttpChunkedInput;
import io.netty.handler.codec.http.LastHttpContent;

/** Tells where responses end among what an application writes. */
public final class ResponseEnds {
  private ResponseEnds() {}

  /**
   * Whether a response that has begun ends with such a message: a last content, a whole response,
   * or an {@link HttpChunkedInput}, of which the last content is made nearer to the wire.
   */
  public static boolean isOne(Object message) {
    return message instanceof LastHttpContent || message instanceof HttpChunkedInput;
  }
}
