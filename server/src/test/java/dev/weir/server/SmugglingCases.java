package dev.weir.server;

import static dev.weir.server.HttpCase.http1;
import static dev.weir.server.HttpCase.http2;
import static dev.weir.server.Outcome.last;
import static dev.weir.server.Outcome.reset;

import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameTypes;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.stream.Stream;

/**
 * Requests whose end two readers may see at different places. None of what follows them is taken
 * for a request: the stream is still there, and has nothing new.
 */
final class SmugglingCases {
  private static final String HOST = "Host: localhost\r\n";
  private static final String DELETE =
      "DELETE " + CaseClient.STREAM + " HTTP/1.1\r\n" + HOST + "\r\n";
  private static final String CHUNKED = "Transfer-Encoding: chunked\r\n";

  private SmugglingCases() {}

  static Stream<HttpCase> rows() {
    return Stream.of(lengths(), codings(), chunks(), streams()).flatMap(rows -> rows);
  }

  private static Stream<HttpCase> lengths() {
    return Stream.of(
        said("a negative length", "Content-Length: -1\r\n", "", 400),
        said("a length with a letter", "Content-Length: 1x\r\n", "", 400),
        said("a length with a sign", "Content-Length: +3\r\n", "abc", 400),
        said("a length on a line of its own", "Content-Length:\r\n 3\r\n", "abc", 400),
        said("a length beyond all numbers", "Content-Length: 99999999999999999999\r\n", "", 400),
        said("two lengths", "Content-Length: 3\r\nContent-Length: 4\r\n", "", 400),
        said("a list of lengths", "Content-Length: 3, 3\r\n", "", 400),
        said("a length and chunks", "Content-Length: 3\r\n" + CHUNKED, "0\r\n\r\n", 400),
        said("chunks and a length", CHUNKED + "Content-Length: 3\r\n", "0\r\n\r\n", 400));
  }

  private static Stream<HttpCase> codings() {
    return Stream.of(
        said("a coding below chunks", "Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n", 501),
        said("a coding without chunks", "Transfer-Encoding: gzip\r\n", "", 400),
        said("a coding like chunks", "Transfer-Encoding: xchunked\r\n", "", 400),
        said("a space before the colon", "Transfer-Encoding : chunked\r\n", "0\r\n\r\n", 400),
        said(
            "keys of an old web socket",
            "Sec-WebSocket-Key1: 1\r\nSec-WebSocket-Key2: 2\r\n",
            "AAAAAAAA",
            400));
  }

  private static Stream<HttpCase> chunks() {
    return Stream.of(
        said("a chunk beyond all numbers", CHUNKED, "FFFFFFFFFFFFFFFFF\r\nabc", 400),
        said("a chunk of more than 4 GiB", CHUNKED, "100000003\r\nabc", 400),
        said("a negative chunk", CHUNKED, "-3\r\nabc\r\n0\r\n\r\n", 400),
        said("a chunk that is no number", CHUNKED, "zz\r\nabc\r\n", 400),
        said("a chunk that is too short", CHUNKED, "3\r\nabcXX0\r\n\r\n", 400),
        said("chunks on line feeds alone", CHUNKED, "3\nabc\n0\n\n", 400));
  }

  /** An append over HTTP/1.1, with another request behind it. */
  private static HttpCase said(String name, String headers, String body, int status) {
    String head = "POST " + CaseClient.STREAM + " HTTP/1.1\r\n" + HOST;
    return http1(
        name,
        client -> {
          client
              .raw()
              .send(head + "Content-Type: text/plain\r\n" + headers + "\r\n" + body + DELETE);
          return client.outcome();
        },
        last(status));
  }

  /** Over HTTP/2 frames say where a request ends. What says otherwise is an error of its stream. */
  private static Stream<HttpCase> streams() {
    return Stream.of(
        appended("a length that is exceeded", "3", 4, reset(400, Http2Error.PROTOCOL_ERROR)),
        appended("a length that is not reached", "5", 4, reset(400, Http2Error.PROTOCOL_ERROR)),
        headed("a body that was announced, and none", "content-length", "1", broken()),
        headed("chunks over HTTP/2", "transfer-encoding", "chunked", broken()),
        headed("two lines in a value", "x", "y\r\nz: 1", broken()),
        headed("two lines in a name", "x: 1\r\nz", "y", broken()),
        http2(
            "a path with a request of HTTP/1.1",
            client -> answerTo(client, post().path("/ HTTP/1.1\r\n" + HOST + "\r\n" + DELETE)),
            broken()),
        http2(
            "trailers that name a method",
            client -> {
              client.beginAppend(CaseClient.STREAM);
              client.body(new byte[4], /* last= */ false);
              int stream = 1;
              client
                  .http2()
                  .send(
                      Http2FrameTypes.HEADERS,
                      Http2Client.END_HEADERS | Http2Client.END_STREAM,
                      stream,
                      client.http2().block(stream, BadHeadCases.head().method("DELETE")));
              return client.outcome();
            },
            reset(400, Http2Error.PROTOCOL_ERROR)));
  }

  private static Outcome broken() {
    return reset(0, Http2Error.PROTOCOL_ERROR);
  }

  private static Http2Headers post() {
    return BadHeadCases.valid()
        .method("POST")
        .path(CaseClient.STREAM)
        .add("content-type", "text/plain");
  }

  private static HttpCase headed(String name, String field, String value, Outcome outcome) {
    return http2(name, client -> answerTo(client, post().add(field, value)), outcome);
  }

  private static Outcome answerTo(CaseClient client, Http2Headers head) throws Exception {
    Http2CaseClient sender = (Http2CaseClient) client;
    return sender.of(client.http2().request(/* last= */ true, head)).outcome();
  }

  private static HttpCase appended(String name, String length, int bytes, Outcome outcome) {
    return http2(
        name,
        client -> {
          client.beginAppend(CaseClient.STREAM, "content-length", length);
          client.body(new byte[bytes], /* last= */ true);
          return client.outcome();
        },
        outcome);
  }
}
