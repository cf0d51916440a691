package dev.weir.server;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What comes of a request, be it sent over HTTP/1.1 or over HTTP/2. */
final class Answers {
  private static final byte[] NOTHING = {};

  private Answers() {}

  /** A whole answer; a header that it has not is null. */
  record Answer(int status, Function<String, @Nullable String> headers, byte[] body) {
    @Nullable String header(String name) {
      return headers.apply(name);
    }

    /** The body, out of its coding. */
    byte[] content() throws IOException {
      return Coded.decode(header("content-encoding"), body);
    }
  }

  static Answer get(NodeFixture node, boolean http2, String path, String... headers)
      throws Exception {
    return ask(node, http2, "GET", path, NOTHING, headers);
  }

  private static String[] lowerCaseNames(String[] headers) {
    String[] lower = headers.clone();
    for (int i = 0; i < lower.length; i += 2) {
      lower[i] = lower[i].toLowerCase(Locale.ROOT);
    }
    return lower;
  }

  /** Sends a request with names and values of headers, on a connection of its own over HTTP/2. */
  static Answer ask(
      NodeFixture node, boolean http2, String method, String path, byte[] body, String... headers)
      throws Exception {
    if (http2) {
      try (Http2Client client = node.http2()) {
        Http2Client.Response response =
            client.exchange(method, path, body, lowerCaseNames(headers));
        if (response.head == null) {
          throw new IOException("the stream was reset: " + response.error);
        }
        return new Answer(response.status(), response::header, response.body.toByteArray());
      }
    }
    HttpRequest.Builder request =
        HttpRequest.newBuilder(node.uri(path))
            .method(
                method,
                body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    HttpResponse<byte[]> response = node.http.send(request.build(), BodyHandlers.ofByteArray());
    return new Answer(
        response.statusCode(),
        name -> response.headers().firstValue(name).orElse(null),
        response.body());
  }
}
