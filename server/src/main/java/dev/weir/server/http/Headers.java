package dev.weir.server.http;

import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.util.AsciiString;

/** Names of the protocol's headers. */
final class Headers {
  static final AsciiString NEXT_OFFSET = AsciiString.cached("Stream-Next-Offset");
  static final AsciiString UP_TO_DATE = AsciiString.cached("Stream-Up-To-Date");
  static final AsciiString CLOSED = AsciiString.cached("Stream-Closed");
  static final AsciiString CURSOR = AsciiString.cached("Stream-Cursor");
  static final AsciiString SEQUENCE = AsciiString.cached("Stream-Seq");
  static final AsciiString TTL = AsciiString.cached("Stream-TTL");
  static final AsciiString EXPIRES_AT = AsciiString.cached("Stream-Expires-At");
  static final AsciiString FORKED_FROM = AsciiString.cached("Stream-Forked-From");
  static final AsciiString FORK_OFFSET = AsciiString.cached("Stream-Fork-Offset");
  static final AsciiString FORK_SUB_OFFSET = AsciiString.cached("Stream-Fork-Sub-Offset");
  static final AsciiString SSE_ENCODING = AsciiString.cached("Stream-SSE-Data-Encoding");
  static final AsciiString PRODUCER_ID = AsciiString.cached("Producer-Id");
  static final AsciiString PRODUCER_EPOCH = AsciiString.cached("Producer-Epoch");
  static final AsciiString PRODUCER_SEQ = AsciiString.cached("Producer-Seq");
  static final AsciiString PRODUCER_EXPECTED_SEQ = AsciiString.cached("Producer-Expected-Seq");
  static final AsciiString PRODUCER_RECEIVED_SEQ = AsciiString.cached("Producer-Received-Seq");

  private Headers() {}

  /** Fresh headers whose values are checked against response splitting. */
  static HttpHeaders create() {
    return DefaultHttpHeadersFactory.headersFactory().newHeaders();
  }

  static boolean isTrue(HttpHeaders headers, CharSequence name) {
    return headers.containsValue(name, "true", /* ignoreCase= */ true);
  }
}
