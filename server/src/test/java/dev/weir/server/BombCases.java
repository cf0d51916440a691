package dev.weir.server;

import static dev.weir.server.HttpCase.both;
import static dev.weir.server.HttpCase.http1;
import static dev.weir.server.HttpCase.http2;
import static dev.weir.server.Outcome.answered;
import static dev.weir.server.Outcome.ended;
import static dev.weir.server.Outcome.last;
import static dev.weir.server.Outcome.reset;

import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameTypes;
import java.io.ByteArrayOutputStream;
import java.net.SocketException;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;

/** Requests that become, or say that they become, far larger than what a node takes. */
final class BombCases {
  private static final String HOST = "Host: localhost\r\n";
  private static final int INDEXED = 0x80;
  private static final int FIRST_KEPT = 62;
  private static final int REFERENCES = 1_000;

  private BombCases() {}

  static Stream<HttpCase> rows() {
    return Stream.of(
        bomb("gzip"),
        bomb("zstd"),
        announced("a length that is one too long", CaseSetting.MAX_BODY_BYTES + 1L),
        announced("the longest length", Long.MAX_VALUE),
        both(
            "a body without a length that goes on",
            client -> {
              client.beginAppend(CaseClient.STREAM);
              byte[] piece = new byte[64 << 10];
              for (int sent = 0; sent <= CaseSetting.MAX_BODY_BYTES; sent += piece.length) {
                client.body(piece, /* last= */ false);
              }
              return client.outcome();
            },
            last(413),
            answered(413)),
        both(
            "a long target",
            client -> {
              client.ask("GET", "/" + "x".repeat(10_000));
              return client.outcome();
            },
            last(414),
            answered(414)),
        both(
            "a long header",
            client -> {
              client.ask("GET", "/", "x", "a".repeat(25_000));
              return client.outcome();
            },
            last(431),
            reset(431, Http2Error.PROTOCOL_ERROR)),
        http1(
            "many headers",
            client -> {
              client.raw().send("GET / HTTP/1.1\r\n" + HOST + "a: b\r\n".repeat(20_000) + "\r\n");
              return client.outcome();
            },
            last(431)),
        http1(
            "a long name of a chunk's extension",
            client -> {
              client.beginAppend(CaseClient.STREAM);
              client.raw().send("1;" + "x".repeat(100_000));
              return client.outcome();
            },
            last(400)),
        http1(
            "long trailers",
            client -> {
              client.beginAppend(CaseClient.STREAM);
              client.raw().send("1\r\nx\r\n0\r\n" + "a: b\r\n".repeat(20_000) + "\r\n");
              return client.outcome();
            },
            last(400)),
        http2(
            "headers that refer to a long one",
            BombCases::referring,
            reset(431, Http2Error.PROTOCOL_ERROR)),
        http2(
            "headers in frames without end",
            BombCases::continuing,
            ended(Http2Error.ENHANCE_YOUR_CALM)));
  }

  /** Within the limit of length, and many times as long as what is sent. */
  private static HttpCase bomb(String coding) {
    return both(
        "a bomb in " + coding,
        client -> {
          byte[] bomb = Coded.encode(coding, new byte[CaseSetting.MAX_BODY_BYTES]);
          String length = String.valueOf(bomb.length);
          client.beginAppend(
              CaseClient.STREAM, "content-encoding", coding, "content-length", length);
          client.body(bomb, /* last= */ true);
          return client.outcome();
        },
        answered(413),
        answered(413));
  }

  private static HttpCase announced(String name, long bytes) {
    return both(
        name,
        client -> {
          client.beginAppend(CaseClient.STREAM, "content-length", String.valueOf(bytes));
          return client.outcome();
        },
        last(413),
        answered(413));
  }

  /** A field of 3 KiB that the table keeps, and a byte for each further time. */
  private static Outcome referring(CaseClient client) throws Exception {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    // GET, its path, its scheme, and its authority: one of the table, with a value of its own.
    block.writeBytes(new byte[] {(byte) 0x82, (byte) 0x84, (byte) 0x86, 0x01, 1, 'h'});
    // A name and a value to keep; the value has 127 bytes, 57, and 22 times 128.
    block.writeBytes(new byte[] {0x40, 1, 'x', 0x7f, (byte) (INDEXED | 57), 22});
    block.writeBytes(new byte[127 + 57 + 22 * 128]);
    for (int i = 0; i < REFERENCES; i++) {
      block.write(INDEXED | FIRST_KEPT);
    }
    int stream = 1;
    int flags = Http2Client.END_HEADERS | Http2Client.END_STREAM;
    client.http2().send(Http2FrameTypes.HEADERS, flags, stream, block.toByteArray());
    Http2Client.Response answer = client.http2().await(stream);
    client.http2().roundTrip();
    return new Outcome(answer.status(), Outcome.Fate.GOES_ON, answer.error);
  }

  private static Outcome continuing(CaseClient client) throws Exception {
    Http2Client http2 = client.http2();
    http2.get("/");
    int stream = 3;
    byte[] some = {(byte) (INDEXED | 2)};
    http2.send(Http2FrameTypes.HEADERS, Http2Client.END_STREAM, stream, some);
    try {
      for (int i = 0; i < 1_000; i++) {
        http2.send(Http2FrameTypes.CONTINUATION, 0, stream, some);
      }
    } catch (SocketException | SSLException cutOff) {
      // By the frames before.
    }
    return ((Http2CaseClient) client).outcomeOfFlood();
  }
}
