package dev.weir.server;

import static dev.weir.server.HttpCase.both;
import static dev.weir.server.HttpCase.http1;
import static dev.weir.server.HttpCase.http2;
import static dev.weir.server.Outcome.answered;
import static dev.weir.server.Outcome.ended;
import static dev.weir.server.Outcome.last;
import static dev.weir.server.Outcome.reset;

import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.HexFormat;
import java.util.stream.Stream;

/** Requests whose head breaks a rule, and frames that do. */
final class BadHeadCases {
  private static final String HOST = "Host: localhost\r\n";
  private static final String[] NO_HEADERS = {};

  private BadHeadCases() {}

  static Stream<HttpCase> rows() {
    return Stream.of(unreadable(), whole(), badTargets(), badHeaders(), malformed(), frames())
        .flatMap(rows -> rows);
  }

  /** The end of the request is not known: the connection ends with the answer. */
  private static Stream<HttpCase> unreadable() {
    return Stream.of(
        said("no HTTP at all", "no HTTP at all\r\n\r\n", 400),
        said("a version that is none", "GET / HTTP/9.9.9\r\n" + HOST + "\r\n", 400),
        said("a preface cut short", "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n", 505),
        said("a header's name with a space", get(HOST + "Bad Header: x\r\n"), 400),
        said("line feeds alone", "GET / HTTP/1.1\nHost: localhost\n\n", 400),
        said("no host", get(""), 400),
        said("two hosts", get(HOST + HOST), 400),
        said("a host with a path", get("Host: a/b\r\n"), 400),
        http1(
            "a producer's name that is too long as bytes of UTF-8",
            client -> {
              client.ask(
                  "POST",
                  CaseClient.STREAM,
                  "content-type",
                  "text/plain",
                  "producer-id",
                  "\u00fc".repeat(129),
                  "producer-epoch",
                  "0",
                  "producer-seq",
                  "0");
              return client.outcome();
            },
            answered(400)));
  }

  private static String get(String headers) {
    return "GET / HTTP/1.1\r\n" + headers + "\r\n";
  }

  private static HttpCase said(String name, String request, int status) {
    return http1(name, client -> answerTo(client, request), last(status));
  }

  private static Outcome answerTo(CaseClient client, String request) throws Exception {
    client.raw().send(request);
    return client.outcome();
  }

  /** The request is refused for its head, and the connection goes on. */
  private static Stream<HttpCase> whole() {
    return Stream.of(
        asked("a method that is not served", "PATCH", CaseClient.STREAM, 405),
        asked("a method that nobody knows", "BREW", CaseClient.STREAM, 405),
        asked("a path that is nowhere", "GET", "/elsewhere", 404),
        asked("a target that is no path", "GET", "elsewhere", 400),
        asked("deleting what is not there", "DELETE", "/v1/stream/none", 404),
        asked("closing what is not there", "POST", "/v1/stream/none", 404, "stream-closed", "true"),
        asked("an append of nothing", "POST", CaseClient.STREAM, 400, "content-type", "text/plain"),
        asked("a name that is empty", "PUT", "/v1/stream/", 400),
        asked("a name that is too long", "PUT", "/v1/stream/" + "x".repeat(1025), 414),
        bothClose("an expectation that is not met", 417, "expect", "the-unexpected"));
  }

  private static HttpCase asked(
      String name, String method, String target, int status, String... headers) {
    return both(
        name,
        client -> {
          client.ask(method, target, headers);
          return client.outcome();
        },
        answered(status),
        answered(status));
  }

  /** Over HTTP/1.1 its client may send a body, or not. */
  private static HttpCase bothClose(String name, int status, String... headers) {
    return both(
        name,
        client -> {
          client.beginAppend(CaseClient.STREAM, headers);
          return client.outcome();
        },
        last(status),
        answered(status));
  }

  private static Stream<HttpCase> badTargets() {
    return Stream.concat(
        Stream.of(
                "?offset=abc",
                "?offset=",
                "?offset=-1&offset=now",
                "?offset=0000000000000000_0000000000000009",
                "?offset=-1&live=never",
                "?live=sse",
                "?offset=%zz")
            .map(query -> asked("a read with " + query, "GET", CaseClient.STREAM + query, 400)),
        Stream.of(
                "x/../y",
                "../../etc/passwd",
                "%2e%2e/y",
                "x%2f..%2fy",
                "x%00y",
                "x%0ay",
                "x%ff",
                "x%2")
            .map(stream -> asked("the name " + stream, "PUT", "/v1/stream/" + stream, 400)));
  }

  private static Stream<HttpCase> badHeaders() {
    String type = "content-type";
    String text = "text/plain";
    return Stream.of(
        put("a time to live with zeros in front", 400, "stream-ttl", "007"),
        put("a date that is none", 400, "stream-expires-at", "soon"),
        put("a fork of what is not there", 404, "stream-forked-from", "/v1/stream/none"),
        put(
            "a fork at no offset",
            400,
            "stream-fork-offset",
            "now",
            "stream-forked-from",
            CaseClient.STREAM),
        asked(
            "a producer without a sequence",
            "POST",
            CaseClient.STREAM,
            400,
            "producer-id",
            "p",
            "stream-closed",
            "true"),
        asked(
            "a producer's name that is too long",
            "POST",
            CaseClient.STREAM,
            400,
            type,
            text,
            "stream-closed",
            "true",
            "producer-id",
            "p".repeat(257),
            "producer-epoch",
            "0",
            "producer-seq",
            "0"));
  }

  private static HttpCase put(String name, int status, String... headers) {
    return asked(name, "PUT", "/v1/stream/b", status, headers);
  }

  /** Heads of HTTP/2 that are refused, or reset, on their streams. */
  private static Stream<HttpCase> malformed() {
    return Stream.of(
        framed("no authority", head().method("GET").path("/").scheme("http"), answered(400)),
        framed("an authority that is none", valid().authority("a b"), answered(400)),
        framed("an authority and another host", valid().add("host", "b"), answered(400)),
        framed("a method with a space", valid().method("GET /"), answered(400)),
        framed("no path", without(":path"), broken()),
        framed("an empty path", valid().path(""), broken()),
        framed("no method", without(":method"), broken()),
        framed("no scheme", without(":scheme"), broken()),
        framed("a tunnel", head().method("CONNECT"), broken()),
        framed("a name in upper case", valid().add("Upper", "x"), broken()),
        framed("a value with a control character", valid().add("x", "\u0001"), broken()),
        framed("a field that is the connection's", valid().add("connection", "close"), broken()),
        framed("a coding that is the connection's", valid().add("te", "gzip"), broken()),
        framed("an unknown field of the protocol", valid().add(":unknown", "x"), broken()));
  }

  private static Outcome broken() {
    return reset(0, Http2Error.PROTOCOL_ERROR);
  }

  private static HttpCase framed(String name, Http2Headers head, Outcome outcome) {
    return http2(name, client -> answerTo(client, head), outcome);
  }

  private static Outcome answerTo(CaseClient client, Http2Headers head) throws Exception {
    Http2CaseClient sender = (Http2CaseClient) client;
    return sender.of(client.http2().request(/* last= */ true, head)).outcome();
  }

  static Http2Headers head() {
    return new DefaultHttp2Headers(/* validate= */ false);
  }

  static Http2Headers valid() {
    return head().method("GET").path("/").scheme("http").authority("localhost");
  }

  private static Http2Headers without(String name) {
    Http2Headers head = valid();
    head.remove(name);
    return head;
  }

  /** Frames that end the connection: nobody knows what its client means by the next. */
  private static Stream<HttpCase> frames() {
    return Stream.of(
        frame("data of no stream", "000001 00 01 00000000 78", Http2Error.PROTOCOL_ERROR),
        frame(
            "headers that cannot be decoded",
            "000004 01 05 00000003 ffffffff",
            Http2Error.COMPRESSION_ERROR),
        frame("a stream of the node's own", "000001 01 05 00000002 82", Http2Error.PROTOCOL_ERROR),
        frame("a frame that is too long", "004001 00 00 00000001", Http2Error.FRAME_SIZE_ERROR),
        frame("half a setting", "000003 04 00 00000000 000000", Http2Error.FRAME_SIZE_ERROR),
        frame(
            "a size of frames that is none",
            "000006 04 00 00000000 000500000001",
            Http2Error.PROTOCOL_ERROR),
        frame("a short ping", "000007 06 00 00000000 00000000000000", Http2Error.FRAME_SIZE_ERROR),
        frame(
            "a window opened by nothing",
            "000004 08 00 00000000 00000000",
            Http2Error.PROTOCOL_ERROR),
        frame(
            "a window opened too far",
            "000004 08 00 00000000 7fffffff",
            Http2Error.FLOW_CONTROL_ERROR),
        frame("a continuation of nothing", "000001 09 04 00000001 82", Http2Error.PROTOCOL_ERROR),
        frame(
            "a reset of what never was",
            "000004 03 00 00000005 00000008",
            Http2Error.PROTOCOL_ERROR),
        frame("a push", "000004 05 04 00000001 00000002", Http2Error.PROTOCOL_ERROR),
        frame(
            "another protocol amid frames",
            "474554202f20485454502f312e310d0a0d0a",
            Http2Error.FRAME_SIZE_ERROR));
  }

  private static HttpCase frame(String name, String hex, Http2Error error) {
    byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));
    return http2(
        name,
        client -> {
          client.http2().get("/");
          client.http2().sendRaw(bytes);
          client.http2().awaitEnd();
          return client.outcome();
        },
        ended(error));
  }
}
