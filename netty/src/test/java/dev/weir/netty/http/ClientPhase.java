package dev.weir.netty.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;

/** What a server has taken from a client, and the client from it, before the client's end. */
enum ClientPhase {
  CONNECTED("", new byte[0]),
  IN_THE_HEAD(
      Bodies.HEAD.substring(0, 20), Arrays.copyOf(Bodies.HTTP2_HEAD, Bodies.HTTP2_HEAD.length - 5)),
  BEFORE_THE_BODY(Bodies.HEAD, Bodies.HTTP2_HEAD),
  IN_THE_BODY(
      Bodies.HEAD + Bodies.BODY.substring(0, 50_000),
      Http2Bytes.join(
          Bodies.HTTP2_HEAD, Http2Bytes.data(Bodies.BODY.substring(0, 50_000), /* end= */ false))),
  IN_A_CHUNK(
      new String(FaultyServer.request("Transfer-Encoding: chunked", "ffff\r\nabc"), US_ASCII),
      Http2Bytes.join(
          Http2Bytes.opening(),
          Http2Bytes.head(/* contentLength= */ -1),
          Http2Bytes.data("abc", /* end= */ false),
          Arrays.copyOf(Http2Bytes.data("abcdef", /* end= */ false), 12))),
  BEFORE_THE_RESPONSE(Bodies.HEAD + Bodies.BODY, Bodies.HTTP2_WHOLE),
  IN_THE_RESPONSE(Bodies.HEAD + Bodies.BODY, Bodies.HTTP2_WHOLE);

  private static final int STEP_BYTES = AggregatorOptions.upTo(1).stepBytes();

  /** What is cut. */
  private static final class Bodies {
    static final String BODY = "x".repeat(FaultyServer.BODY_BYTES);
    static final String HEAD =
        new String(FaultyServer.request("Content-Length: " + BODY.length(), ""), US_ASCII);

    /** Within the window of a stream. */
    static final int HTTP2_BYTES = 60_000;

    static final byte[] HTTP2_HEAD =
        Http2Bytes.join(Http2Bytes.opening(), Http2Bytes.head(HTTP2_BYTES));
    static final byte[] HTTP2_WHOLE =
        Http2Bytes.join(
            HTTP2_HEAD, Http2Bytes.data(BODY.substring(0, HTTP2_BYTES), /* end= */ true));
  }

  private final byte[] http1;
  private final byte[] http2;

  ClientPhase(String http1, byte[] http2) {
    this.http1 = http1.getBytes(US_ASCII);
    this.http2 = http2;
  }

  /** What a client sends up to it. */
  byte[] sent(Wire wire) {
    return wire.http2() ? http2 : http1;
  }

  void reach(Wire wire, FaultyServer server, Wire.Client client) throws IOException {
    client.send(sent(wire));
    server.awaitTaken(sent(wire).length);
    if (this == IN_THE_RESPONSE) {
      assertThat(client.socket().getInputStream().readNBytes(1_000)).hasSize(1_000);
    }
    FaultyServer.await(this + " by what is held", () -> isHeld(wire, server));
  }

  private boolean isHeld(Wire wire, FaultyServer server) {
    long live = server.pool.liveBlockBytes();
    return switch (this) {
      case CONNECTED -> live == 0;
      case IN_THE_HEAD -> live > 0;
      case BEFORE_THE_BODY, IN_THE_BODY ->
          live >= (wire.http2() ? Bodies.HTTP2_BYTES : Bodies.BODY.length());
      case IN_A_CHUNK -> live >= STEP_BYTES;
      case BEFORE_THE_RESPONSE, IN_THE_RESPONSE -> server.writeGate.queuedBytes() > 0;
    };
  }
}
