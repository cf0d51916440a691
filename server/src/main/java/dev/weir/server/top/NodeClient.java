package dev.weir.server.top;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.jr.ob.JSON;

/** Asks a node for its figures. */
final class NodeClient implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final String PATH = "/_weir/snapshot";
  private static final int MAX_REASON = 200;

  /** Many times what a node sends. */
  private static final long MAX_BODY_BYTES = 16L << 20;

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
    HttpResponse<String> answer = ask();
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

  private static boolean isUnresolved(Throwable failure) {
    Throwable cause = failure;
    while (cause != null && !(cause instanceof UnresolvedAddressException)) {
      cause = cause.getCause();
    }
    return cause != null;
  }

  /** The whole answer, within the time and the size that figures take. */
  private HttpResponse<String> ask() throws IOException {
    HttpRequest request = HttpRequest.newBuilder(node.resolve(PATH)).timeout(TIMEOUT).build();
    CompletableFuture<HttpResponse<String>> answer =
        http.sendAsync(request, BodyHandlers.limiting(BodyHandlers.ofString(), MAX_BODY_BYTES));
    try {
      return answer.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      answer.cancel(true);
      throw tooSlow(e);
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case ConnectException unknown when isUnresolved(unknown) ->
            throw new IOException(
                "no machine is known as '%s'; name another URL".formatted(node.getHost()), unknown);
        case ConnectException refused ->
            throw new IOException(
                "nobody listens at %s; start a node with 'weir serve', or name another URL"
                    .formatted(node),
                refused);
        case HttpTimeoutException late -> throw tooSlow(late);
        case IOException failure -> throw failure;
        case null, default -> throw new IOException("%s cannot be asked".formatted(node), e);
      }
    } catch (InterruptedException e) {
      answer.cancel(true);
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    }
  }

  private IOException tooSlow(Exception cause) {
    return new IOException(
        "%s did not answer within %d s".formatted(node, TIMEOUT.toSeconds()), cause);
  }

  private static String firstLine(@Nullable String body) {
    String line = body == null ? "" : body.lines().findFirst().orElse("");
    String plain = line.replaceAll("[\\p{Cc}\\p{Cf}\\u2028\\u2029]", " ").strip();
    return plain.substring(0, Math.min(MAX_REASON, plain.length()));
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
