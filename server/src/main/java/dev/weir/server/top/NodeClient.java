package dev.weir.server.top;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.jr.ob.JSON;

/** Asks a node for its figures. */
final class NodeClient implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final String PATH = "/_weir/snapshot";
  private static final int MAX_REASON = 200;

  private final URI node;
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(TIMEOUT).build();

  /**
   * Names a node.
   *
   * @param url as {@code http://localhost:4437}, {@code localhost:4437}, or the console's own URL
   * @throws IllegalArgumentException if that is no URL of a node
   */
  NodeClient(String url) {
    String whole = url.contains("://") ? url : "http://" + url;
    URI uri = URI.create(whole);
    boolean isHttp = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
    if (!isHttp || uri.getHost() == null) {
      throw new IllegalArgumentException("not the URL of a node, as http://localhost:4437");
    }
    this.node = URI.create(uri.getScheme() + "://" + uri.getRawAuthority());
  }

  /** The node's address for people. */
  String name() {
    return node.toString();
  }

  /**
   * The figures of this moment.
   *
   * @throws IOException says in one line why there are none, and what to do
   */
  Figures figures() throws IOException {
    HttpRequest request = HttpRequest.newBuilder(node.resolve(PATH)).timeout(TIMEOUT).build();
    HttpResponse<String> answer;
    try {
      answer = http.send(request, HttpResponse.BodyHandlers.ofString());
    } catch (ConnectException e) {
      throw new IOException(
          "nobody listens at %s; start a node with 'weir serve', or name another URL"
              .formatted(node),
          e);
    } catch (HttpTimeoutException e) {
      throw new IOException(
          "%s did not answer within %d s".formatted(node, TIMEOUT.toSeconds()), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    }
    if (answer.statusCode() != 200) {
      throw new IOException(
          "%s answered %d: %s".formatted(node, answer.statusCode(), firstLine(answer.body())));
    }
    try {
      return Figures.of(JSON.std.anyFrom(answer.body()));
    } catch (JacksonException e) {
      throw new IOException("what answers at %s is no node of Weir".formatted(node), e);
    }
  }

  private static String firstLine(@Nullable String body) {
    String line = body == null ? "" : body.lines().findFirst().orElse("");
    String plain = line.replaceAll("\\p{Cntrl}", " ").strip();
    return plain.substring(0, Math.min(MAX_REASON, plain.length()));
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
