package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.Transport;
import dev.weir.streams.protocol.Offset;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What lies in spool files and in segments is read as it was written, by sendfile and in pieces.
 */
class FlushedReadsTest {
  private static final int LONG_BYTES = 6 << 20;

  @TempDir Path directory;

  private static String text() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; text.length() < LONG_BYTES; i++) {
      text.append(i).append(' ');
    }
    return text.toString();
  }

  private NodeFixture start(Transport transport) throws Exception {
    return new NodeFixture(
        directory.resolve("data"),
        NodeFixture.BUDGET_BYTES,
        NodeParts.forBudget(NodeFixture.BUDGET_BYTES).over(transport));
  }

  private static String get(NodeFixture fixture, String target, String... headers)
      throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(fixture.uri("/v1/stream/" + target));
    if (headers.length > 0) {
      request.headers(headers);
    }
    HttpResponse<String> response =
        fixture.http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).isEqualTo(200);
    return response.body();
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void aLongStreamReadsAsItWasWrittenBeforeAndAfterAStart(Transport transport) throws Exception {
    String text = text();
    String numbers = "[1" + ",22".repeat(200_000) + "]";
    try (NodeFixture fixture = start(transport)) {
      assertThat(fixture.send("PUT", "a", "text/plain", text).statusCode()).isEqualTo(201);
      assertThat(fixture.send("PUT", "j", "application/json", numbers).statusCode()).isEqualTo(201);
      read(fixture, text, numbers);
      fixture.node.flush().join();
      assertThat(fixture.metric("weir_unflushed_bytes")).isZero();
      assertThat(fixture.send("POST", "a", "text/plain", "tail").statusCode()).isEqualTo(204);
      read(fixture, text + "tail", numbers);
      fixture.assertNothingLeaked();
    }
    try (NodeFixture fixture = start(transport)) {
      read(fixture, text + "tail", numbers);
      fixture.assertNothingLeaked();
    }
  }

  private static void read(NodeFixture fixture, String text, String numbers) throws Exception {
    assertThat(get(fixture, "a")).isEqualTo(text);
    assertThat(get(fixture, "a", "Accept-Encoding", "identity")).isEqualTo(text);
    String offset = Offset.format(LONG_BYTES / 2);
    assertThat(get(fixture, "a?offset=" + offset)).isEqualTo(text.substring(LONG_BYTES / 2));
    assertThat(get(fixture, "j")).isEqualTo(numbers);
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void aReadOfWhatIsDamagedFailsAndSaysSo(Transport transport) throws Exception {
    try (NodeFixture fixture = start(transport)) {
      assertThat(fixture.send("PUT", "a", "text/plain", text()).statusCode()).isEqualTo(201);
    }
    Path segment;
    try (Stream<Path> files = Files.walk(directory.resolve("data/objects/seg"))) {
      List<Path> segments = files.filter(Files::isRegularFile).toList();
      segment = segments.getFirst();
    }
    byte[] bytes = Files.readAllBytes(segment);
    bytes[1000] ^= 1;
    Files.write(segment, bytes);
    try (NodeFixture fixture = start(transport)) {
      HttpResponse<String> refused = fixture.send("GET", "a", null, "");
      assertThat(refused.statusCode()).isEqualTo(500);
      assertThat(refused.body()).contains("DamagedObjectException");
      fixture.assertNothingLeaked();
    }
  }
}
