package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** A request of every kind, and what its answer has to be. */
enum TalkWithNode {
  UPLOAD("Content-Length: " + TalkWithNode.BODY_BYTES) {
    @Override
    String talk(NodeFixture fixture, RawClient client, String tail) throws IOException {
      return client.send(post("up")).send(BODY).rest();
    }
  },
  UPLOAD_AFTER_ASKING("Expect: 100-continue\r\nContent-Length: " + TalkWithNode.BODY_BYTES) {
    @Override
    String talk(NodeFixture fixture, RawClient client, String tail) throws IOException {
      String first = client.send(post("up")).readUntil("\r\n\r\n");
      return first.startsWith("HTTP/1.1 100") ? client.send(BODY).rest() : first + client.rest();
    }
  },
  CHUNKED_UPLOAD("Transfer-Encoding: chunked") {
    @Override
    String talk(NodeFixture fixture, RawClient client, String tail) throws IOException {
      client.send(post("up"));
      for (int from = 0; from < BODY.length(); from += 5_500) {
        client.send("157c\r\n" + BODY.substring(from, from + 5_500) + "\r\n");
      }
      return client.send("0\r\n\r\n").rest();
    }
  },
  COMPRESSED_UPLOAD("Content-Encoding: gzip") {
    @Override
    String talk(NodeFixture fixture, RawClient client, String tail) throws IOException {
      byte[] encoded = Coded.encode("gzip", BODY.getBytes(StandardCharsets.US_ASCII));
      String length = "\r\nContent-Length: " + encoded.length + "\r\n\r\n";
      return client.send(post("up").replace("\r\n\r\n", length)).send(encoded).rest();
    }
  },
  DOWNLOAD("") {
    @Override
    String talk(NodeFixture fixture, RawClient client, String tail) throws IOException {
      return client.send(get("text", "")).rest();
    }

    @Override
    boolean isServed(String answer) {
      return answer.startsWith("HTTP/1.1 200") && answer.endsWith("\r\n\r\n" + DATA);
    }
  },
  JSON_DOWNLOAD("") {
    @Override
    String talk(NodeFixture fixture, RawClient client, String tail) throws IOException {
      return client.send(get("json", "")).rest();
    }

    @Override
    boolean isServed(String answer) {
      return answer.startsWith("HTTP/1.1 200") && answer.endsWith("\r\n\r\n" + JSON);
    }
  },
  COMPRESSED_DOWNLOAD("") {
    @Override
    String talk(NodeFixture fixture, RawClient client, String tail) throws IOException {
      String asked = get("text", "").replace("\r\n\r\n", "\r\nAccept-Encoding: gzip\r\n\r\n");
      return Coded.plain(client.send(asked).restBytes());
    }

    @Override
    boolean isServed(String answer) {
      return answer.startsWith("HTTP/1.1 200") && answer.endsWith("\r\n\r\n" + DATA);
    }
  },
  TEXT_EVENTS("") {
    @Override
    String talk(NodeFixture fixture, RawClient client, String tail) throws IOException {
      return client.send(get("text", "?offset=-1&live=sse").replace("1.1", "1.0")).rest();
    }

    @Override
    boolean isServed(String answer) {
      return answer.contains("data:" + DATA.replace("\n", "\ndata:") + "\n\n")
          && answer.contains("\"streamClosed\":true");
    }
  },
  BINARY_EVENTS("") {
    @Override
    String talk(NodeFixture fixture, RawClient client, String tail) throws IOException {
      return client.send(get("image", "?offset=-1&live=sse").replace("1.1", "1.0")).rest();
    }

    @Override
    boolean isServed(String answer) {
      String encoded = Base64.getEncoder().encodeToString(DATA.getBytes(StandardCharsets.US_ASCII));
      return answer.contains("data:" + encoded + "\n\n")
          && answer.contains("\"streamClosed\":true");
    }
  },
  LONG_POLL("Content-Length: " + TalkWithNode.BODY_BYTES) {
    @Override
    String talk(NodeFixture fixture, RawClient client, String tail) throws IOException {
      client.send(get("up", "?live=long-poll&offset=" + tail));
      try (RawClient writer = fixture.raw()) {
        if (!writer.send(post("up")).send(BODY).rest().startsWith("HTTP/1.1 204")) {
          // There may be no news: the client gives up.
          client.endOutput();
        }
      }
      return client.rest();
    }

    @Override
    boolean isServed(String answer) {
      return answer.startsWith("HTTP/1.1 200") && answer.endsWith("\r\n\r\n" + BODY);
    }
  };

  private static final int BODY_BYTES = 22_000;
  private static final String BODY = "0123456789\n".repeat(BODY_BYTES / 11);
  private static final String DATA = "0123456789abcde\n".repeat(12_000);
  private static final String JSON = "[" + "1234567,".repeat(24_000) + "0]";

  private final String bodyHeaders;

  TalkWithNode(String bodyHeaders) {
    this.bodyHeaders = bodyHeaders;
  }

  /**
   * Sends what there is to send, on a connection that ends with it.
   *
   * @param tail the end of the stream that is appended to
   * @return everything that came back, to the end of the connection, however it ended
   */
  abstract String talk(NodeFixture fixture, RawClient client, String tail) throws IOException;

  /** Whether an answer is the whole of what was asked for. */
  boolean isServed(String answer) {
    return answer.startsWith("HTTP/1.1 204");
  }

  String post(String stream) {
    return "POST /v1/stream/%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            .formatted(stream)
        + "Content-Type: text/plain\r\n"
        + bodyHeaders
        + "\r\n\r\n";
  }

  private static String get(String stream, String query) {
    return "GET /v1/stream/"
        + stream
        + query
        + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  }

  /** Creates the streams that are talked about. */
  static void prepare(RawClient client) throws IOException {
    create(client, "up", "text/plain", "", "");
    create(client, "text", "text/plain", DATA, "Stream-Closed: true\r\n");
    create(client, "image", "image/png", DATA, "Stream-Closed: true\r\n");
    create(client, "json", "application/json", JSON, "Stream-Closed: true\r\n");
  }

  private static void create(
      RawClient client, String stream, String type, String content, String headers)
      throws IOException {
    client.send(
        "PUT /v1/stream/%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: %d\r\n%s\r\n"
            .formatted(stream, type, content.length(), headers));
    assertThat(client.send(content).receive().status()).isEqualTo(201);
  }

  /** The end of the stream that is appended to. */
  static String tail(RawClient client) throws IOException {
    return client
        .send("HEAD /v1/stream/up HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .receiveHead()
        .header("Stream-Next-Offset");
  }

  /** Checks that of each upload all was kept, or nothing. */
  static void checkUploads(RawClient client) throws IOException {
    String all = client.send(get("up", "").replace("Connection: close\r\n", "")).receive().body();
    assertThat(all).isEqualTo(BODY.repeat(all.length() / BODY.length()));
  }
}
