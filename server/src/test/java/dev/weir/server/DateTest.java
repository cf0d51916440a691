package dev.weir.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every answer of the node says when it was made. */
class DateTest {
  private static final String HOST = "Host: localhost\r\n";

  @TempDir Path directory;

  private static void assertDated(int status, RawClient.Response answer, Instant asked) {
    assertThat(answer.status()).isEqualTo(status);
    assertDate(answer.header("date"), asked);
  }

  private static void assertDate(String date, Instant asked) {
    assertThat(date).hasSize("Sun, 06 Nov 1994 08:49:37 GMT".length()).endsWith(" GMT");
    Instant made = ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
    assertThat(made).isBetween(asked.truncatedTo(ChronoUnit.SECONDS), Instant.now());
  }

  @Test
  void overHttp1() throws Exception {
    try (NodeFixture fixture = new NodeFixture(directory);
        RawClient client = fixture.raw()) {
      fixture.send("PUT", "a", "text/plain", "hello");
      Instant asked = Instant.now();
      String get = "GET /v1/stream/a HTTP/1.1\r\n" + HOST;
      RawClient.Response read = client.send(get + "\r\n").receive();
      assertDated(200, read, asked);
      String match = "If-None-Match: " + read.header("etag") + "\r\n";
      client.send(get + match + "\r\n");
      assertDated(304, client.receiveHead(), asked);
      client.send(get + "If-None-Match: \"other\"\r\n" + match + "\r\n");
      assertDated(304, client.receiveHead(), asked);
      client.send("GET /v1/stream/none HTTP/1.1\r\n" + HOST + "\r\n");
      assertDated(404, client.receive(), asked);
      client.send("no HTTP\r\n\r\n");
      assertDated(400, client.receive(), asked);
    }
  }

  @Test
  void overHttp2() throws Exception {
    try (NodeFixture fixture = new NodeFixture(directory);
        Http2Client client = fixture.http2()) {
      Instant asked = Instant.now();
      assertDate(client.get("/").header("date"), asked);
      byte[] text = "x".getBytes(UTF_8);
      assertDate(client.exchange("POST", "/v1/stream/none", text).header("date"), asked);
    }
  }
}
