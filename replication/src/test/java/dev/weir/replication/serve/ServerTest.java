package dev.weir.replication.serve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.replication.net.RateLimit;
import dev.weir.replication.testing.Await;
import dev.weir.replication.testing.TestServer;
import dev.weir.replication.testing.Trees;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerTest {
  private final HttpClient client = HttpClient.newHttpClient();

  @TempDir private Path folder;

  private Path source;
  private TestServer server;

  @BeforeEach
  void serve() throws Exception {
    source = Files.createDirectory(folder.resolve("photos"));
    server = TestServer.of(source, folder.resolve("cache"));
  }

  private void serveWithLittlePatience() throws Exception {
    server.close();
    server =
        TestServer.of(
            source, folder.resolve("cache2"), new RateLimit(0), null, Duration.ofMillis(300));
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  private HttpResponse<byte[]> get(String path, String... headers) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(
            URI.create("http://127.0.0.1:%d/containers%s".formatted(server.port(), path)));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(request.build(), BodyHandlers.ofByteArray());
  }

  private static String text(HttpResponse<byte[]> answer) {
    return new String(answer.body(), StandardCharsets.UTF_8).strip();
  }

  private String tag() throws Exception {
    HttpResponse<byte[]> manifest = get("/photos/manifest");
    while (manifest.statusCode() == 202) {
      String next = manifest.headers().firstValue("location").orElseThrow();
      manifest = get(next.replaceFirst("^/containers", ""));
    }
    assertThat(manifest.statusCode()).isEqualTo(200);
    return manifest.headers().firstValue("etag").orElseThrow();
  }

  @Test
  void anyRangeIsThatOfTheFilesInARow() throws Exception {
    Random random = new Random(3);
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (int i = 0; i < 300; i++) {
      byte[] content = Trees.content(random, random.nextInt(3000));
      Files.write(source.resolve("%03d".formatted(i)), content);
      all.write(content);
    }
    byte[] space = all.toByteArray();
    String tag = tag();
    assertThat(get("/photos/bytes", "If-Match", tag).body()).isEqualTo(space);
    for (int i = 0; i < 200; i++) {
      int first = random.nextInt(space.length);
      int last = first + random.nextInt(space.length - first);
      HttpResponse<byte[]> part =
          get("/photos/bytes", "If-Match", tag, "Range", "bytes=" + first + "-" + last);
      assertThat(part.statusCode()).isEqualTo(206);
      assertThat(part.headers().firstValue("content-range"))
          .hasValue("bytes %d-%d/%d".formatted(first, last, space.length));
      assertThat(part.body()).isEqualTo(Arrays.copyOfRange(space, first, last + 1));
    }
    assertThat(get("/photos/bytes", "Range", "bytes=" + space.length + "-").statusCode())
        .isEqualTo(416);
  }

  @Test
  void requestsThatAreWrongAreAnsweredWithTheReason() throws Exception {
    assertThat(text(get(""))).isEqualTo("[\"photos\"]");
    assertThat(text(get("/other/bytes"))).contains("there is no '/containers/other/bytes'");
    assertThat(get("/../../etc/passwd").statusCode()).isEqualTo(404);
    assertThat(text(get("/photos/bytes", "If-Match", "\"abc\"")))
        .contains("container 'photos' has no manifest \"abc\" any more");
    HttpResponse<String> post =
        client.send(
            HttpRequest.newBuilder(
                    URI.create("http://127.0.0.1:%d/containers".formatted(server.port())))
                .POST(HttpRequest.BodyPublishers.ofString("x"))
                .build(),
            BodyHandlers.ofString());
    assertThat(post.statusCode()).isEqualTo(405);
    assertThat(raw("nonsense\r\n\r\n")).startsWith("HTTP/1.1 400");
  }

  private String raw(String request) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", server.port())) {
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    }
  }

  @Test
  void aFileThatHasChangedOrVanishedIsRefusedByName() throws Exception {
    Path file = Files.write(source.resolve("file"), new byte[] {1, 2, 3});
    String tag = tag();
    Files.write(file, new byte[] {4, 5, 6});
    HttpResponse<byte[]> changed = get("/photos/bytes", "If-Match", tag);
    assertThat(changed.statusCode()).isEqualTo(409);
    assertThat(text(changed)).contains("the file 'file' has changed since its manifest");
    Files.delete(file);
    assertThat(text(get("/photos/bytes", "If-Match", tag))).contains("the file 'file' has changed");
  }

  @Test
  void aFileThatShrinksWhileItIsSentEndsTheBodyShortAndTheNextRequestSaysWhy() throws Exception {
    long size = 256L << 20;
    Path path = source.resolve("file");
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      file.setLength(size);
      String tag = tag();
      try (Socket socket = new Socket("127.0.0.1", server.port())) {
        socket
            .getOutputStream()
            .write(
                ("GET /containers/photos/bytes HTTP/1.1\r\nHost: h\r\nIf-Match: "
                        + tag
                        + "\r\n\r\n")
                    .getBytes(StandardCharsets.ISO_8859_1));
        InputStream in = socket.getInputStream();
        in.readNBytes(1000);
        file.setLength(1000);
        long rest = in.transferTo(java.io.OutputStream.nullOutputStream());
        assertThat(rest).isLessThan(size - 1000);
      }
      assertThat(text(get("/photos/bytes", "If-Match", tag))).contains("has changed");
    }
  }

  @Test
  void aPeerThatTakesNothingIsCutOff() throws Exception {
    serveWithLittlePatience();
    try (RandomAccessFile file = new RandomAccessFile(source.resolve("file").toFile(), "rw")) {
      file.setLength(1L << 30);
    }
    String tag = tag();
    try (Socket socket = new Socket("127.0.0.1", server.port())) {
      socket
          .getOutputStream()
          .write(
              ("GET /containers/photos/bytes HTTP/1.1\r\nHost: h\r\nIf-Match: " + tag + "\r\n\r\n")
                  .getBytes(StandardCharsets.ISO_8859_1));
      int before = server.server().figures().connections();
      Await.until(() -> server.server().figures().connections() < before);
    }
  }

  @Test
  void aPeerThatAsksForNothingIsCutOff() throws Exception {
    serveWithLittlePatience();
    try (Socket socket = new Socket("127.0.0.1", server.port())) {
      assertThat(socket.getInputStream().read()).isEqualTo(-1);
    }
  }

  @Test
  void connectionsBeyondTheBudgetAreRefused() throws Exception {
    Socket[] sockets = new Socket[15];
    for (int i = 0; i < sockets.length; i++) {
      sockets[i] = new Socket("127.0.0.1", server.port());
    }
    Await.until(() -> server.server().figures().connections() == 15);
    String answer = raw("GET /containers HTTP/1.1\r\nHost: h\r\n\r\n");
    assertThat(answer).startsWith("HTTP/1.1 503").contains("all 15 connections");
    for (Socket socket : sockets) {
      socket.close();
    }
    Await.until(() -> server.server().figures().connections() == 0);
  }
}
