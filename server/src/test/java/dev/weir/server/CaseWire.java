package dev.weir.server;

import java.io.IOException;

/** A protocol, in the clear or with TLS. */
enum CaseWire {
  HTTP1,
  HTTP1_TLS,
  HTTP2,
  HTTP2_TLS;

  boolean isHttp2() {
    return this == HTTP2 || this == HTTP2_TLS;
  }

  boolean isEncrypted() {
    return this == HTTP1_TLS || this == HTTP2_TLS;
  }

  CaseClient connect(NodeFixture fixture) throws IOException {
    return isHttp2() ? new Http2CaseClient(fixture) : new Http1CaseClient(fixture);
  }
}
