package dev.weir.server.http;

/** What the node says of itself at its root. */
final class RootPage {
  private RootPage() {}

  static String text() {
    return """
    weir: append-only streams over HTTP (the Durable Streams protocol)

    PUT    /v1/stream/<name>                 create, with the Content-Type of all that follows
    POST   /v1/stream/<name>                 append; answered when durable
    GET    /v1/stream/<name>?offset=<o>      read from an offset (-1: the start, now: the tail)
    GET    ...?offset=<o>&live=long-poll     wait for more; live=sse: events as they come
    HEAD   /v1/stream/<name>                 tail offset, content type, expiry, closure
    DELETE /v1/stream/<name>                 delete
    GET    /metrics                          Prometheus text
    GET    /health                           200 while all is well
    GET    /_weir/                           the console: where the memory is, live
    """;
  }
}
