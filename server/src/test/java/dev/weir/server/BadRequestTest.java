package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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

  private static String post(String headers) {
    return "POST /v1/stream/a HTTP/1.1\r\n"
        + HOST
        + "Content-Type: text/plain\r\n"
        + headers
        + "\r\n";
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://localhost", "HTTP://localhost:1", "https://127.0.0.2"})
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
    "/v1/stream/b?x, http://localhost:1/v1/stream/b",
    "http://localhost:1/v1/stream/b, http://localhost:1/v1/stream/b",
    "http://127.0.0.2/v1/stream/b?x, http://127.0.0.2/v1/stream/b"
  })
  void aNewStreamIsWhereItWasPut(String target, String location) throws Exception {
    fixture.send("DELETE", "b", null, "");
    try (RawClient client = fixture.raw()) {
      client.send("PUT " + target + " HTTP/1.1\r\nHost: localhost:1\r\nContent-Length: 0\r\n\r\n");
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
    NodeFixture.await("no spool file", () -> spoolFiles() == 0);
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
    NodeFixture.await("no spool file", () -> spoolFiles() == 0);
  }

  private static long spoolFiles() {
    try (Stream<Path> files = Files.walk(directory.resolve("spool"))) {
      return files.filter(Files::isRegularFile).count();
    } catch (IOException | UncheckedIOException e) {
      // A file was deleted while the directories were walked.
      return -1;
    }
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
