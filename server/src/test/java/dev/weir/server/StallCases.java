package dev.weir.server;

import static dev.weir.server.HttpCase.both;
import static dev.weir.server.HttpCase.http1;
import static dev.weir.server.HttpCase.http2;
import static dev.weir.server.Outcome.answered;
import static dev.weir.server.Outcome.closed;
import static dev.weir.server.Outcome.ended;
import static dev.weir.server.Outcome.last;
import static dev.weir.server.Outcome.reset;

import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameTypes;
import java.util.stream.Stream;

/** Clients that stop where the node waits for them. */
final class StallCases {
  private StallCases() {}

  static Stream<HttpCase> rows() {
    return Stream.concat(
        Stream.of(
                body("a body that does not come", 0, "content-length", "9"),
                body("a body that stops", 3, "content-length", "9"),
                body("a body of unknown length that stops", 3),
                body("a body in a file that stops", 400_000, "content-length", "500000"),
                both(
                    "a body that was asked for, and stops",
                    client -> {
                      client.beginAppend(
                          CaseClient.STREAM, "content-length", "9", "expect", "100-continue");
                      client.awaitContinue();
                      return client.outcome();
                    },
                    last(408),
                    answered(408)),
                http1(
                    "a reader that stops",
                    client -> {
                      client.ask("GET", CaseClient.BIG_STREAM + "?offset=-1");
                      client.awaitBeginning();
                      return ((Http1CaseClient) client).outcomeUnread();
                    },
                    last(200)),
                http2(
                    "a reader that stops",
                    client -> {
                      client.http2().stopOpeningWindows();
                      client.ask("GET", CaseClient.BIG_STREAM + "?offset=-1");
                      return client.outcome();
                    },
                    reset(200, Http2Error.CANCEL)))
            .map(row -> row.on(CaseSetting.STALLS_ARE_SHORT)),
        Stream.of(
                http1("a connection without a request", CaseClient::outcome, closed()),
                http1(
                    "half a head",
                    client -> {
                      client.raw().send("GET / HTTP/1.1\r\nHos");
                      return client.outcome();
                    },
                    last(408)),
                http1(
                        "half a preface",
                        client -> {
                          client.raw().send("PRI * HTTP/2.0\r\n\r\nSM");
                          return client.outcome();
                        },
                        closed())
                    .inTheClearAlone(),
                http2(
                    "a connection without a request",
                    client -> {
                      client.http2().awaitEnd();
                      return client.outcome();
                    },
                    ended(Http2Error.NO_ERROR)),
                http2(
                    "half a frame",
                    client -> {
                      byte[] frame =
                          Http2Client.frame(Http2FrameTypes.HEADERS, 4, 1, new byte[1_000]);
                      client.http2().sendRaw(java.util.Arrays.copyOf(frame, 500));
                      client.http2().awaitEnd();
                      return client.outcome();
                    },
                    ended(Http2Error.NO_ERROR)))
            .map(row -> row.on(CaseSetting.IDLING_IS_SHORT)));
  }

  private static HttpCase body(String name, int bytes, String... headers) {
    return both(
        name,
        client -> {
          client.beginAppend(CaseClient.STREAM, headers);
          if (bytes > 0) {
            client.body(new byte[bytes], /* last= */ false);
          }
          return client.outcome();
        },
        last(408),
        answered(408));
  }
}
