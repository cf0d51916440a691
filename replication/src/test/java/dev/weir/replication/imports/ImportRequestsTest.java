package dev.weir.replication.imports;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.replication.manifest.ManifestWriter;
import dev.weir.replication.testing.Await;
import dev.weir.replication.testing.TestServer;
import java.io.ByteArrayOutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a server answers to those that push, whoever they are. */
class ImportRequestsTest {
  private static final int CHUNK = 1 << 20;
  private static final int BYTES = 2 * CHUNK + 1000;

  private final HttpClient client = HttpClient.newHttpClient();
  private final byte[] content = new byte[BYTES];

  @TempDir private Path folder;

  private TestServer server;

  @BeforeEach
  void serve() throws Exception {
    new Random(1).nextBytes(content);
    server = TestServer.importing(folder.resolve("target"));
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  private HttpResponse<String> send(String method, String path, byte[] body, String... headers)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d%s".formatted(server.port(), path)))
            .method(
                method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(request.build(), BodyHandlers.ofString());
  }

  /** A file of the content, a hole of one chunk, and a file of three bytes. */
  private byte[] manifest(String path) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (ManifestWriter writer = new ManifestWriter(out)) {
      writer.file(path, 0644, BYTES);
      for (int offset = 0; offset < BYTES; offset += CHUNK) {
        writer.data(crc(Arrays.copyOfRange(content, offset, Math.min(BYTES, offset + CHUNK))));
      }
      writer.file("hole", 0600, CHUNK);
      writer.hole(1);
      writer.file("last", 0400, 3);
      writer.data(crc(new byte[] {1, 2, 3}));
      writer.end();
    }
    return out.toByteArray();
  }

  private static int crc(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return (int) crc.getValue();
  }

  private String post() throws Exception {
    HttpResponse<String> posted = send("POST", "/imports?name=photos", manifest("big"));
    assertThat(posted.statusCode()).as(posted.body()).isEqualTo(201);
    return posted.headers().firstValue("location").orElseThrow();
  }

  private HttpResponse<String> patch(String path, int first, int last, byte[] body)
      throws Exception {
    return send(
        "PATCH",
        path,
        body,
        "Content-Range",
        "bytes %d-%d/%d".formatted(first, last, BYTES + CHUNK + 3));
  }

  private HttpResponse<String> patch(String path, int first, int last) throws Exception {
    return patch(path, first, last, Arrays.copyOfRange(content, first, last + 1));
  }

  @Test
  void chunksMayComeInAnyOrderAndAgain() throws Exception {
    String path = post();
    assertThat(send("GET", path, null).body())
        .contains("\"missing\":[[0,2098151],[3146728,3146730]]");
    assertThat(patch(path, CHUNK, BYTES - 1).statusCode()).isEqualTo(204);
    assertThat(patch(path, CHUNK, BYTES - 1).statusCode()).isEqualTo(204);
    HttpResponse<String> head = send("HEAD", path, null);
    assertThat(head.headers().firstValue("weir-verified-bytes")).hasValue("" + (BYTES - CHUNK));
    assertThat(head.headers().firstValue("weir-state")).hasValue("open");
    assertThat(send("POST", "/imports?name=photos", manifest("big")).statusCode()).isEqualTo(200);
    assertThat(patch(path, 3 * CHUNK + 1000, 3 * CHUNK + 1002, new byte[] {1, 2, 3}).statusCode())
        .isEqualTo(204);
    assertThat(patch(path, 0, CHUNK - 1).statusCode()).isEqualTo(204);
    Await.until(() -> send("GET", path, null).body().contains("\"state\":\"done\""));
    assertThat(patch(path, 0, CHUNK - 1).statusCode()).isEqualTo(204);

    Path copy = folder.resolve("target/photos");
    assertThat(copy.resolve("big")).hasBinaryContent(content);
    assertThat(copy.resolve("hole")).hasBinaryContent(new byte[CHUNK]);
    assertThat(copy.resolve("last")).hasBinaryContent(new byte[] {1, 2, 3});
    assertThat(server.server().importFigures().repeatedBytes()).isEqualTo(BYTES - CHUNK + CHUNK);
    assertThat(send("POST", "/imports?name=photos", manifest("big")).statusCode()).isEqualTo(409);
  }

  @Test
  void aWrongChunkIsNamedAndThoseBesideItCount() throws Exception {
    String path = post();
    byte[] damaged = content.clone();
    damaged[CHUNK + 5] ^= 1;
    HttpResponse<String> wrong = patch(path, 0, BYTES - 1, damaged);
    assertThat(wrong.statusCode()).isEqualTo(422);
    assertThat(wrong.body())
        .contains("the file 'big': 1,048,576 bytes from 1,048,576 on have a wrong checksum")
        .contains("\"wrong\":[[1048576,2097151]]");
    assertThat(send("GET", path, null).body())
        .contains("\"missing\":[[1048576,2097151],[3146728,3146730]]");
  }

  @Test
  void rangesThatAreNotWholeChunksAreRefused() throws Exception {
    String path = post();
    assertThat(patch(path, 0, 99).statusCode()).isEqualTo(416);
    assertThat(patch(path, 1, CHUNK).statusCode()).isEqualTo(416);
    assertThat(patch(path, BYTES, BYTES + CHUNK - 1, new byte[CHUNK]).body()).contains("no holes");
    assertThat(patch(path, 0, CHUNK - 1, new byte[7]).statusCode()).isEqualTo(400);
    assertThat(send("PATCH", path, new byte[7], "Content-Range", "bytes 0-6/7").statusCode())
        .isEqualTo(400);
    assertThat(send("PATCH", path, new byte[7]).statusCode()).isEqualTo(400);
    assertThat(send("PATCH", "/imports/other", new byte[7]).statusCode()).isEqualTo(404);
    assertThat(send("PUT", path, new byte[7]).statusCode()).isEqualTo(405);
    assertThat(send("POST", "/imports?name=..", new byte[7]).statusCode()).isEqualTo(400);
  }

  @Test
  void aBodyThatEndsEarlyCountsByWholeChunks() throws Exception {
    String path = post();
    try (Socket socket = new Socket("127.0.0.1", server.port())) {
      socket
          .getOutputStream()
          .write(
              ("PATCH %s HTTP/1.1\r\nHost: h\r\nContent-Range: bytes 0-%d/%d\r\n"
                      + "Content-Length: %d\r\n\r\n")
                  .formatted(path, BYTES - 1, BYTES + CHUNK + 3, BYTES)
                  .getBytes(StandardCharsets.ISO_8859_1));
      socket.getOutputStream().write(content, 0, CHUNK + 100);
      Await.until(() -> server.server().importFigures().receivedBytes() == CHUNK + 100);
      // Others may not write what is on its way.
      assertThat(patch(path, CHUNK, 2 * CHUNK - 1).statusCode()).isEqualTo(503);
    }
    Await.until(() -> patch(path, CHUNK, BYTES - 1).statusCode() == 204);
    assertThat(send("GET", path, null).body()).contains("\"missing\":[[3146728,3146730]]");
  }

  @Test
  void aManifestThatLiesLeavesNothing() throws Exception {
    byte[] damaged = manifest("big");
    damaged[damaged.length - 1] ^= 1;
    for (byte[] manifest :
        new byte[][] {damaged, manifest("../big"), manifest("/big"), new byte[10], new byte[0]}) {
      HttpResponse<String> refused = send("POST", "/imports?name=photos", manifest);
      assertThat(refused.statusCode()).isEqualTo(422);
      assertThat(refused.body()).contains("the manifest is refused");
    }
    Await.until(() -> server.server().importFigures().active() == 0);
    assertThat(folder.resolve("target/.weir-incoming")).isEmptyDirectory();
  }

  @Test
  void anotherContentUnderTheSameNameWaitsForTheFirst() throws Exception {
    String path = post();
    HttpResponse<String> other = send("POST", "/imports?name=photos", manifest("bag"));
    assertThat(other.statusCode()).isEqualTo(409);
    assertThat(other.body()).contains("is being imported");
    assertThat(send("DELETE", path, null).statusCode()).isEqualTo(204);
    assertThat(send("GET", path, null).statusCode()).isEqualTo(410);
    assertThat(patch(path, 0, CHUNK - 1).statusCode()).isEqualTo(410);
    Await.until(() -> send("POST", "/imports?name=photos", manifest("bag")).statusCode() == 201);
  }

  @Test
  void importsBeyondTheBudgetAreRefused() throws Exception {
    HttpResponse<String> last = null;
    for (int i = 0; i < 20 && (last == null || last.statusCode() == 201); i++) {
      last = send("POST", "/imports?name=photos" + i, manifest("big"));
    }
    assertThat(last.statusCode()).isEqualTo(503);
    assertThat(last.body()).contains("no place for one more import");
    Path incoming = folder.resolve("target/.weir-incoming");
    try (var files = Files.newDirectoryStream(incoming, ".posted-*")) {
      assertThat(files).isEmpty();
    }
  }

  @Test
  void theRateIsChangedWhileTheServerRuns() throws Exception {
    assertThat(send("GET", "/rate", null).body()).contains("\"bytesPerSecond\":0");
    assertThat(send("PUT", "/rate", "50M".getBytes(StandardCharsets.UTF_8)).body())
        .contains("\"bytesPerSecond\":52428800");
    HttpResponse<String> wrong = send("PUT", "/rate", "fast".getBytes(StandardCharsets.UTF_8));
    assertThat(wrong.statusCode()).isEqualTo(400);
    assertThat(wrong.body()).contains("'fast' is no amount of bytes");
    assertThat(send("GET", "/metrics", null).body())
        .contains("weir_replication_rate_bytes 5.24288E7");
  }

  @Test
  void metricsCountWhatComesAndWhatIsRefused() throws Exception {
    String path = post();
    patch(path, 0, CHUNK - 1, new byte[CHUNK]);
    patch(path, 0, CHUNK - 1);
    patch(path, 0, CHUNK - 1);
    assertThat(send("GET", "/metrics", null).body())
        .contains("weir_replication_received_bytes_total 3145728.0")
        .contains("weir_replication_verified_bytes_total 1048576.0")
        .contains("weir_replication_repeated_bytes_total 1048576.0")
        .contains("weir_replication_refused_total{reason=\"checksum\"} 1.0")
        .contains("weir_replication_active_imports 1.0");
  }
}
