package dev.weir.server.http;

import io.netty.handler.codec.http.HttpResponse;

/** How a protocol lets a client know where a response ends, and whether more may follow. */
interface Framing {
  /** The protocol, as ALPN names it. */
  String protocol();

  /** Whether whoever carries the exchange ends with it, be the rest of the request read or not. */
  boolean isLast();

  /** Nothing follows this exchange. */
  void endAfterwards();

  /** Completes the head of a response whose length is not known. */
  void begin(HttpResponse response);

  /** Completes the head of any response, as the last thing before it is sent. */
  void finishHead(HttpResponse response);
}
