package dev.weir.server;

import static dev.weir.server.HttpCase.both;
import static dev.weir.server.HttpCase.http2;
import static dev.weir.server.Outcome.answered;
import static dev.weir.server.Outcome.last;
import static dev.weir.server.Outcome.reset;

import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameTypes;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Answers before the end of a request, and what its client still sends meanwhile. */
final class EarlyAnswerCases {
  private static final String NONE = "/v1/stream/none";
  private static final int BEYOND = 3;

  private EarlyAnswerCases() {}

  static Stream<HttpCase> rows() {
    return Stream.concat(bodies(), lateFrames());
  }

  private static Stream<HttpCase> bodies() {
    return Stream.of(
        both(
            "a small body that is not wanted, and comes",
            client -> {
              client.beginAppend(NONE, "content-length", "100000");
              client.body(new byte[100_000], /* last= */ true);
              return client.outcome();
            },
            answered(404),
            answered(404)),
        both(
            "a large body that is not wanted",
            client -> {
              client.beginAppend(NONE, "content-length", "3000000");
              return client.outcome();
            },
            last(404),
            answered(404)),
        both(
            "a body of unknown length that is not wanted",
            client -> {
              client.beginAppend(NONE);
              return client.outcome();
            },
            last(404),
            answered(404)),
        both(
            "a large body that is not wanted, and comes",
            client -> {
              client.beginAppend(NONE, "content-length", "3000000");
              client.body(new byte[3_000_000], /* last= */ true);
              return client.outcome();
            },
            last(404),
            answered(404)),
        both(
            "a body that asks first, and is not wanted",
            client -> {
              client.beginAppend(NONE, "content-length", "5", "expect", "100-continue");
              return client.outcome();
            },
            last(404),
            answered(404)),
        both(
            "a body that asks first, and is wanted",
            client -> {
              client.beginAppend(
                  CaseClient.STREAM, "content-length", "5", "expect", "100-continue");
              client.awaitContinue();
              client.body(new byte[5], /* last= */ true);
              return client.outcome();
            },
            answered(204),
            answered(204)));
  }

  /** Frames of streams that are refused, or have ended, and end nobody else. */
  private static Stream<HttpCase> lateFrames() {
    return Stream.of(
        http2(
            "a stream whose body is not wanted is reset in the end",
            client -> {
              client.beginAppend(NONE);
              while (client.http2().response(1).error < 0) {
                client.http2().receive();
              }
              return new Outcome(
                  client.outcome().status(),
                  Outcome.Fate.GOES_ON,
                  client.http2().response(1).error);
            },
            reset(404, Http2Error.NO_ERROR)),
        http2(
            "windows full of bodies that are not wanted",
            client -> {
              Http2Client http2 = client.http2();
              for (int i = 0; i < 6; i++) {
                client.beginAppend(NONE);
                int stream = 2 * i + 1;
                while (http2.response(stream).status() == 0) {
                  http2.receive();
                }
                for (int frame = 0; frame < 60; frame++) {
                  http2.data(stream, new byte[1_000], /* last= */ false);
                }
              }
              return client.outcome();
            },
            answered(404)),
        http2("streams beyond the limit, with bodies", EarlyAnswerCases::beyondTheLimit, refused()),
        late("connection", "close"),
        late("transfer-encoding", "chunked"),
        late("te", "gzip"),
        late("Upper", "case"),
        http2(
            "a request on a stream that has ended",
            client -> {
              client.ask("GET", "/");
              client.http2().await(1);
              Http2Headers head = BadHeadCases.valid();
              int flags = Http2Client.END_HEADERS | Http2Client.END_STREAM;
              byte[] block = client.http2().block(1, head);
              client.http2().send(Http2FrameTypes.HEADERS, flags, 1, block);
              client.http2().roundTrip();
              int error = client.http2().response(1).error;
              return new Outcome(200, client.outcome().fate(), error);
            },
            reset(200, Http2Error.STREAM_CLOSED)));
  }

  private static Outcome refused() {
    return reset(0, Http2Error.REFUSED_STREAM);
  }

  private static Outcome beyondTheLimit(CaseClient client) throws Exception {
    Http2Client http2 = client.http2();
    http2.get("/");
    List<Integer> appends = new ArrayList<>();
    for (int i = 0; i < http2.settingsMaxStreams + BEYOND; i++) {
      appends.add(http2.request(/* last= */ false, "POST", NONE, "content-type", "text/plain"));
    }
    for (int append : appends) {
      http2.data(append, new byte[2], /* last= */ true);
    }
    for (int append : appends.subList(0, http2.settingsMaxStreams)) {
      if (http2.await(append).status() != 404) {
        return ((Http2CaseClient) client).of(append).outcome();
      }
    }
    return ((Http2CaseClient) client).of(appends.getLast()).outcome();
  }

  /** The body, the windows and the end of a request whose headers break a rule. */
  private static HttpCase late(String name, String value) {
    return http2(
        "what follows a header " + name,
        client -> {
          client.beginAppend(CaseClient.STREAM, name, value);
          Http2Client http2 = client.http2();
          http2.data(1, new byte[40_000], /* last= */ false);
          http2.openWindow(1, 1);
          http2.data(1, new byte[10], /* last= */ true);
          http2.reset(1, (int) Http2Error.CANCEL.code());
          return client.outcome();
        },
        reset(0, Http2Error.PROTOCOL_ERROR));
  }
}
