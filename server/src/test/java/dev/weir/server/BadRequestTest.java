package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is wrong with a request is said in one line; nobody else notices, and nothing leaks. */
class BadRequestTest {
  private static final String HOST = "Host: localhost\r\n";

  @TempDir static Path directory;
  private static NodeFixture fixture;
  private RawClient bystander;

  @BeforeAll
  static void startNode() throws Exception {
    fixture = new NodeFixture(directory);
  }

  @AfterAll
  static void stopNode() throws Exception {
    fixture.close();
  }

  @BeforeEach
  void start() throws Exception {
    fixture.send("DELETE", "a", null, "");
    assertThat(fixture.send("PUT", "a", "text/plain", "").statusCode()).isEqualTo(201);
    bystander = fixture.raw();
    checkBystander();
  }

  @AfterEach
  void stop() throws Exception {
    checkBystander();
    bystander.close();
    fixture.assertNothingLeaked();
  }

  private void checkBystander() throws Exception {
    bystander.send("HEAD /v1/stream/a HTTP/1.1\r\n" + HOST + "\r\n");
    assertThat(bystander.readUntil("\r\n\r\n")).startsWith("HTTP/1.1 200");
  }

  static List<Arguments> framingLost() {
    return List.of(
        Arguments.of("no HTTP at all\r\n\r\n", 400),
        Arguments.of("GET / HTTP/9.9.9\r\n" + HOST + "\r\n", 400),
        Arguments.of("GET /" + "x".repeat(10_000) + " HTTP/1.1\r\n" + HOST + "\r\n", 414),
        Arguments.of("GET / HTTP/1.1\r\n" + HOST + "X: " + "x".repeat(20_000) + "\r\n\r\n", 431),
        Arguments.of("GET / HTTP/1.1\r\n" + HOST + "Bad Header: x\r\n\r\n", 400),
        Arguments.of(post("Content-Length: -1\r\n"), 400),
        Arguments.of(post("Content-Length: 1x\r\n"), 400),
        Arguments.of(post("Content-Length: 99999999999999999999\r\n"), 400),
        Arguments.of(post("Content-Length: 3\r\nContent-Length: 4\r\n"), 400),
        Arguments.of(post("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n"), 400),
        Arguments.of(post("Content-Length: 3, 3\r\n"), 400),
        Arguments.of(post("Content-Length: +3\r\n") + "abc", 400),
        Arguments.of(post("Content-Length:\r\n 3\r\n") + "abc", 400),
        Arguments.of(post("Content-Length: 9223372036854775807\r\n"), 413),
        Arguments.of(post("Content-Length: 2147483649\r\n"), 413),
        Arguments.of(post("Transfer-Encoding: gzip, chunked\r\n") + "0\r\n\r\n", 501),
        Arguments.of(post("Transfer-Encoding: gzip\r\n") + post(""), 400),
        Arguments.of(post("Transfer-Encoding: xchunked\r\n") + post(""), 400),
        Arguments.of(post("Transfer-Encoding : chunked\r\n") + "0\r\n\r\n", 400),
        Arguments.of(post("Transfer-Encoding: chunked\r\n") + "FFFFFFFFFFFFFFFFF\r\nabc", 400),
        Arguments.of(post("Transfer-Encoding: chunked\r\n") + "100000003\r\nabc", 400),
        Arguments.of(post("Transfer-Encoding: chunked\r\n") + "-3\r\nabc\r\n0\r\n\r\n", 400),
        Arguments.of(post("Transfer-Encoding: chunked\r\n") + "3\r\nabcXX0\r\n\r\n", 400),
        Arguments.of(post("Transfer-Encoding: chunked\r\n") + "3\nabc\n0\n\n", 400),
        Arguments.of(post("Expect: the-unexpected\r\nContent-Length: 3\r\n") + "abc", 417),
        Arguments.of("GET / HTTP/1.1\nHost: x\n\n", 400),
        Arguments.of("GET / HTTP/1.1\r\n\r\n", 400),
        Arguments.of("GET / HTTP/1.1\r\n" + HOST + HOST + "\r\n", 400),
        Arguments.of("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400),
        Arguments.of(
            "GET / HTTP/1.1\r\n"
                + HOST
                + "Sec-WebSocket-Key1: 1\r\nSec-WebSocket-Key2: 2\r\n\r\n"
                + "AAAAAAAADELETE /v1/stream/a HTTP/1.1\r\n"
                + HOST
                + "\r\n",
            400),
        Arguments.of("PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n", 505),
        Arguments.of("GET / HTTP/1.1\r\n" + HOST + "a: b\r\n".repeat(20_000) + "\r\n", 431),
        Arguments.of(post("Transfer-Encoding: chunked\r\n") + "zz\r\nabc\r\n", 400));
  }

  private static String post(String headers) {
    return "POST /v1/stream/a HTTP/1.1\r\n"
        + HOST
        + "Content-Type: text/plain\r\n"
        + headers
        + "\r\n";
  }

  @ParameterizedTest
  @MethodSource("framingLost")
  void aRequestWhoseEndIsUnknownIsRefusedAndTheConnectionClosed(String request, int status)
      throws Exception {
    try (RawClient client = fixture.raw()) {
      RawClient.Response response = client.send(request).receive();
      assertThat(response.status()).isEqualTo(status);
      assertThat(response.body()).hasLineCount(1).isNotBlank();
      assertThat(response.header("connection")).isEqualTo("close");
      assertThat(client.isEnded()).isTrue();
    }
    assertThat(fixture.get("a")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://localhost", "HTTP://localhost:1", "https://other"})
  void aTargetMayNameItsHost(String authority) throws Exception {
    fixture.send("POST", "a", "text/plain", "x");
    try (RawClient client = fixture.raw()) {
      client.send("GET " + authority + "/v1/stream/a?offset=-1 HTTP/1.1\r\n" + HOST + "\r\n");
      assertThat(client.receive().body()).isEqualTo("x");
      client.send("GET " + authority + " HTTP/1.1\r\n" + HOST + "\r\n");
      assertThat(client.receive().body()).startsWith("weir");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "/v1/stream/b?x, http://h:1/v1/stream/b",
    "http://h:1/v1/stream/b, http://h:1/v1/stream/b",
    "http://other/v1/stream/b?x, http://other/v1/stream/b"
  })
  void aNewStreamIsWhereItWasPut(String target, String location) throws Exception {
    fixture.send("DELETE", "b", null, "");
    try (RawClient client = fixture.raw()) {
      client.send("PUT " + target + " HTTP/1.1\r\nHost: h:1\r\nContent-Length: 0\r\n\r\n");
      RawClient.Response response = client.receive();
      assertThat(response.status()).isEqualTo(201);
      assertThat(response.header("location")).isEqualTo(location);
    }
  }

  @Test
  void theLongestBodyIsWelcomedAndLeavesNoTraceWhenItDoesNotCome() throws Exception {
    try (RawClient client = fixture.raw()) {
      client.send(post("Expect: 100-continue\r\nContent-Length: 2147483648\r\n"));
      assertThat(client.readUntil("\r\n\r\n")).startsWith("HTTP/1.1 100");
      client.send(new byte[200_000]);
    }
    NodeFixture.await("no segment file", () -> segmentFiles() == 0);
  }

  static List<Arguments> refused() {
    return List.of(
        Arguments.of("GET", "/v1/stream/a?offset=abc", "", 400),
        Arguments.of("GET", "/v1/stream/a?offset=", "", 400),
        Arguments.of("GET", "/v1/stream/a?offset=-1&offset=now", "", 400),
        Arguments.of("GET", "/v1/stream/a?offset=0000000000000000_0000000000000009", "", 400),
        Arguments.of("GET", "/v1/stream/a?offset=-1&live=never", "", 400),
        Arguments.of("GET", "/v1/stream/a?live=sse", "", 400),
        Arguments.of("GET", "/v1/stream/a?offset=%zz", "", 400),
        Arguments.of("GET", "/v1/stream/../../etc/passwd", "", 400),
        Arguments.of("PUT", "/v1/stream/x/../y", "", 400),
        Arguments.of("PUT", "/v1/stream/%2e%2e/y", "", 400),
        Arguments.of("PUT", "/v1/stream/x%2f..%2fy", "", 400),
        Arguments.of("PUT", "/v1/stream/x%00y", "", 400),
        Arguments.of("PUT", "/v1/stream/x%0ay", "", 400),
        Arguments.of("PUT", "/v1/stream/x%ff", "", 400),
        Arguments.of("PUT", "/v1/stream/x%2", "", 400),
        Arguments.of("PUT", "/v1/stream/", "", 400),
        Arguments.of("PUT", "/v1/stream/" + "x".repeat(1025), "", 414),
        Arguments.of("PUT", "/v1/stream/b", "Stream-TTL: 007\r\n", 400),
        Arguments.of("PUT", "/v1/stream/b", "Stream-Expires-At: soon\r\n", 400),
        Arguments.of(
            "PUT",
            "/v1/stream/b",
            "Stream-Fork-Offset: now\r\nStream-Forked-From: /v1/stream/a\r\n",
            400),
        Arguments.of("PUT", "/v1/stream/b", "Stream-Forked-From: /v1/stream/none\r\n", 404),
        Arguments.of("POST", "/v1/stream/a", "Content-Type: text/plain\r\n", 400),
        Arguments.of("POST", "/v1/stream/a", "Producer-Id: p\r\nStream-Closed: true\r\n", 400),
        Arguments.of("POST", "/v1/stream/a", producer("p".repeat(257)), 400),
        Arguments.of("POST", "/v1/stream/a", producer("\u00fc".repeat(129)), 400),
        Arguments.of("POST", "/v1/stream/none", "Stream-Closed: true\r\n", 404),
        Arguments.of("DELETE", "/v1/stream/none", "", 404),
        Arguments.of("PATCH", "/v1/stream/a", "", 405),
        Arguments.of("GET", "/elsewhere", "", 404),
        Arguments.of("GET", "elsewhere", "", 400));
  }

  private static String producer(String id) {
    return "Content-Type: text/plain\r\nStream-Closed: true\r\nProducer-Id: "
        + id
        + "\r\nProducer-Epoch: 0\r\nProducer-Seq: 0\r\n";
  }

  @Test
  void aProducersNameMayBeAsLongAsTheLimit() throws Exception {
    try (RawClient client = fixture.raw()) {
      client.send(
          "POST /v1/stream/a HTTP/1.1\r\n"
              + HOST
              + producer("p".repeat(256))
              + "Content-Length: 0\r\n\r\n");
      assertThat(client.receive().status()).isBetween(200, 204);
    }
  }

  @ParameterizedTest
  @MethodSource("refused")
  void aRequestThatIsWholeIsRefusedAndTheConnectionGoesOn(
      String method, String target, String headers, int status) throws Exception {
    try (RawClient client = fixture.raw()) {
      client.send(
          method + " " + target + " HTTP/1.1\r\n" + HOST + headers + "Content-Length: 0\r\n\r\n");
      RawClient.Response response = client.receive();
      assertThat(response.status()).isEqualTo(status);
      assertThat(response.body()).hasLineCount(1).isNotBlank();
      client.send("GET / HTTP/1.1\r\n" + HOST + "\r\n");
      assertThat(client.receive().status()).isEqualTo(200);
    }
  }

  @Test
  void aMethodThatIsNotServedIsToldWhichAre() throws Exception {
    try (RawClient client = fixture.raw()) {
      client.send("OPTIONS /v1/stream/a HTTP/1.1\r\n" + HOST + "\r\n");
      String served = client.receive().header("allow");
      assertThat(served).contains("GET", "POST");
      client.send("PATCH /v1/stream/a HTTP/1.1\r\n" + HOST + "\r\n");
      RawClient.Response response = client.receive();
      assertThat(response.status()).isEqualTo(405);
      assertThat(response.header("allow")).isEqualTo(served);
    }
  }

  @Test
  void aBodyThatStopsShortLeavesNoTraceAndStopsNobody() throws Exception {
    for (int bytes : new int[] {10, 100_000, 1_000_000}) {
      try (RawClient client = fixture.raw()) {
        client.send(post("Content-Length: " + (bytes + 1) + "\r\n")).send(new byte[bytes]);
        assertThat(fixture.send("POST", "a", "text/plain", "x").statusCode()).isEqualTo(204);
      }
    }
    fixture.assertNothingLeaked();
    assertThat(fixture.get("a")).isEqualTo("xxx");
    NodeFixture.await("one segment file", () -> segmentFiles() == 1);
  }

  private static long segmentFiles() {
    try (Stream<Path> files = Files.walk(directory.resolve("bytes"))) {
      return files.filter(Files::isRegularFile).count();
    } catch (IOException | UncheckedIOException e) {
      // A file was deleted while the directories were walked.
      return -1;
    }
  }

  @Test
  void aRefusedSmallBodyIsReadAndTheConnectionGoesOn() throws Exception {
    try (RawClient client = fixture.raw()) {
      client.send(
          "POST /v1/stream/none HTTP/1.1\r\n"
              + HOST
              + "Content-Type: text/plain\r\n"
              + "Content-Length: 100000\r\n\r\n");
      assertThat(client.receive().status()).isEqualTo(404);
      client.send(new byte[100_000]).send("GET / HTTP/1.1\r\n" + HOST + "\r\n");
      assertThat(client.receive().status()).isEqualTo(200);
    }
  }

  @Test
  void aRefusedLargeBodyEndsTheConnectionAfterTheReason() throws Exception {
    try (RawClient client = fixture.raw()) {
      client.send(post("Content-Length: 3000000000\r\n"));
      RawClient.Response response = client.receive();
      assertThat(response.status()).isEqualTo(413);
      assertThat(response.header("connection")).isEqualTo("close");
      assertThat(client.isEnded()).isTrue();
    }
  }

  @Test
  void aClientThatAsksBeforeSendingIsToldToGoOnOrNot() throws Exception {
    try (RawClient client = fixture.raw()) {
      client.send(post("Expect: 100-continue\r\nContent-Length: 5\r\n"));
      assertThat(client.readUntil("\r\n\r\n")).startsWith("HTTP/1.1 100");
      client.send("hello");
      assertThat(client.receive().status()).isEqualTo(204);
    }
    try (RawClient client = fixture.raw()) {
      client.send(
          "POST /v1/stream/none HTTP/1.1\r\n"
              + HOST
              + "Content-Type: text/plain\r\n"
              + "Expect: 100-continue\r\nContent-Length: 5\r\n\r\n");
      assertThat(client.receive().status()).isEqualTo(404);
      assertThat(client.isEnded()).isTrue();
    }
    assertThat(fixture.get("a")).isEqualTo("hello");
  }

  @Test
  void pipelinedRequestsAreAnsweredInOrder() throws Exception {
    try (RawClient client = fixture.raw()) {
      StringBuilder requests = new StringBuilder();
      for (int i = 0; i < 1000; i++) {
        requests.append(post("Content-Length: 3\r\n")).append("%03d".formatted(i));
      }
      requests.append("GET /v1/stream/a HTTP/1.1\r\n").append(HOST).append("\r\n");
      client.send(requests.toString());
      for (int i = 1; i <= 1000; i++) {
        RawClient.Response response = client.receive();
        assertThat(response.status()).isEqualTo(204);
        assertThat(response.header("stream-next-offset")).endsWith("%016d".formatted(3 * i));
      }
      assertThat(client.receive().body()).hasSize(3000).startsWith("000001").endsWith("999");
    }
  }

  @Test
  void aRequestThatFollowsALongPollWaitsForItsEnd() throws Exception {
    try (RawClient client = fixture.raw()) {
      client.send(
          "GET /v1/stream/a?offset=-1&live=long-poll HTTP/1.1\r\n"
              + HOST
              + "\r\n"
              + "GET / HTTP/1.1\r\n"
              + HOST
              + "\r\n");
      assertThat(fixture.send("POST", "a", "text/plain", "x").statusCode()).isEqualTo(204);
      RawClient.Response polled = client.receive();
      assertThat(polled.status()).isEqualTo(200);
      assertThat(polled.body()).isNotEmpty();
      assertThat(client.receive().body()).startsWith("weir");
    }
  }
}
