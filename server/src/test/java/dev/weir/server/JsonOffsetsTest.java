package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.streams.FaultyDisk;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A stream of JSON is read, and forked, between two messages only. */
class JsonOffsetsTest {
  private static final String OFFSET = "0000000000000000_%016d";

  @TempDir static Path directory;
  private static final FaultyDisk disk = new FaultyDisk();
  private static NodeFixture fixture;

  @BeforeAll
  static void startNode() throws Exception {
    fixture = new NodeFixture(directory, disk);
    fixture.send("PUT", "a", "application/json", "[{\"a\":1,\"b\":2},{\"c\":3}]");
    fixture.send("POST", "a", "application/json", "[4,\"5,\"]");
    fixture.send("PUT", "text", "text/plain", "hello");
  }

  @AfterAll
  static void stopNode() throws Exception {
    fixture.assertNothingLeaked();
    fixture.close();
  }

  private static RawClient.Response get(String target) throws Exception {
    return get(target, /* header= */ "");
  }

  private static RawClient.Response get(String target, String header) throws Exception {
    try (RawClient client = fixture.raw()) {
      return client
          .send("GET /v1/stream/" + target + " HTTP/1.1\r\nHost: localhost\r\n" + header + "\r\n")
          .receive();
    }
  }

  private static RawClient.Response fork(String source, int offset, int subOffset)
      throws Exception {
    fixture.send("DELETE", "fork", null, "");
    try (RawClient client = fixture.raw()) {
      return client
          .send(
              """
              PUT /v1/stream/fork HTTP/1.1\r
              Host: localhost\r
              Content-Length: 0\r
              Stream-Forked-From: /v1/stream/%s\r
              Stream-Fork-Offset: %s\r
              Stream-Fork-Sub-Offset: %d\r
              \r
              """
                  .formatted(source, OFFSET.formatted(offset), subOffset))
          .receive();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 13, 15, 23, 28})
  void noReadBeginsWithinAMessage(int offset) throws Exception {
    for (String live : new String[] {"", "&live=long-poll", "&live=sse"}) {
      RawClient.Response answer = get("a?offset=" + OFFSET.formatted(offset) + live);
      assertThat(answer.status()).as(live).isEqualTo(400);
      assertThat(answer.body()).hasLineCount(1).contains("offset");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0 | [{\"a\":1,\"b\":2},{\"c\":3},4,\"5,\"]",
        "14 | [{\"c\":3},4,\"5,\"]",
        "22 | [4,\"5,\"]",
        "24 | [\"5,\"]",
        "29 | []"
      })
  void aReadBeginsBetweenMessages(int offset, String rest) throws Exception {
    assertThat(get("a?offset=" + OFFSET.formatted(offset)).body()).isEqualTo(rest);
  }

  /** The read that answers sees as well whether a message begins there: all is in memory. */
  @ParameterizedTest
  @ValueSource(strings = {"", "&live=long-poll"})
  void aReadOfTheTailOpensNoFile(String live) throws Exception {
    for (int offset : new int[] {0, 13, 14, 22, 24}) {
      int before = disk.opensForReading();
      get("a?offset=" + OFFSET.formatted(offset) + live);
      assertThat(disk.opensForReading() - before).as("from %s", offset).isZero();
    }
  }

  @Test
  void aTagDoesNotStandForAReadFromWithinAMessage() throws Exception {
    String between = "a?offset=" + OFFSET.formatted(14);
    String known = "If-None-Match: " + get(between).header("etag") + "\r\n";
    assertThat(get(between, known).status()).isEqualTo(304);
    String other = "If-None-Match: \"other\"\r\n";
    assertThat(get(between, other).body()).isEqualTo("[{\"c\":3},4,\"5,\"]");
    String any = "If-None-Match: *\r\n";
    assertThat(get("a?offset=" + OFFSET.formatted(15), any).status()).isEqualTo(400);
  }

  @ParameterizedTest
  @CsvSource({"1, 0", "3, 0", "7, 0", "7, 1", "13, 1", "15, 0", "27, 0", "28, 0"})
  void noForkBeginsWithinAMessage(int offset, int subOffset) throws Exception {
    RawClient.Response answer = fork("a", offset, subOffset);
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.body()).hasLineCount(1).contains("Stream-Fork-Offset");
  }

  @ParameterizedTest
  @CsvSource({"0, 0, 0", "14, 0, 14", "14, 1, 22", "22, 0, 22", "24, 1, 29", "0, 4, 29"})
  void aForkBeginsBetweenMessages(int offset, int subOffset, int point) throws Exception {
    RawClient.Response answer = fork("a", offset, subOffset);
    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.header("stream-next-offset")).isEqualTo(OFFSET.formatted(point));
  }

  @Test
  void bytesAreReadFromAnywhere() throws Exception {
    assertThat(get("text?offset=" + OFFSET.formatted(3)).body()).isEqualTo("lo");
    assertThat(fork("text", 2, 1).status()).isEqualTo(201);
    assertThat(fixture.get("fork")).isEqualTo("hel");
  }
}
