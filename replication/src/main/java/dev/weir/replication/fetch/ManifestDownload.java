package dev.weir.replication.fetch;

import dev.weir.replication.fetch.Exchange.Ending;
import dev.weir.replication.net.Lag;
import io.netty.handler.codec.http.HttpHeaderNames;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Gets a manifest, for which the source may need time. For one thread. */
final class ManifestDownload {
  private static final long POLL_MILLIS = 500;
  private static final int BUSY = 503;
  private static final int ACCEPTED = 202;
  private static final int NOT_MODIFIED = 304;

  private final SourceClient client;
  private final Progress progress;
  private final String base;
  private final Patience patience;
  private final String knownTag;
  private Lag lag = Lag.UNKNOWN;

  ManifestDownload(SourceClient client, Progress progress, String base, Patience patience) {
    this(client, progress, base, patience, "");
  }

  /** Only of another manifest than the one with a tag. */
  ManifestDownload(
      SourceClient client, Progress progress, String base, Patience patience, String knownTag) {
    this.client = client;
    this.progress = progress;
    this.base = base;
    this.patience = patience;
    this.knownTag = knownTag;
  }

  /** What the source had beyond the manifest when it answered. */
  Lag lag() {
    return lag;
  }

  /**
   * Writes it into a file.
   *
   * @return its tag, which has been checked; the known one where there is no other
   */
  String into(Path file) throws IOException, InterruptedException {
    String path = base + "/manifest";
    while (true) {
      SourceConnection connection;
      try {
        connection = connect();
      } catch (ExecutionException e) {
        pause(patience.failed(cause(e), 0));
        continue;
      }
      try (ManifestExchange exchange = new ManifestExchange(path, knownTag, file)) {
        connection.begin(exchange);
        Ending ending = exchange.end().get();
        lag = exchange.lag();
        switch (ending) {
          case Ending.Whole _ -> {
            return exchange.tag();
          }
          case Ending.Lost lost -> {
            progress.lostConnection(Patience.reason(lost.cause()));
            pause(patience.failed(lost.cause(), 0));
          }
          case Ending.Failed failed -> throw failed.cause();
          case Ending.Other other -> {
            if (other.status() == NOT_MODIFIED && !knownTag.isEmpty()) {
              return knownTag;
            } else if (other.status() == ACCEPTED) {
              progress.say("the source reads the container: " + other.text());
              String next = other.headers().get(HttpHeaderNames.LOCATION, path);
              path = next.startsWith(base + "/manifest") ? next : path;
              pause(TimeUnit.MILLISECONDS.toNanos(POLL_MILLIS));
            } else if (other.status() == BUSY) {
              pause(patience.failed(new IOException(other.text()), 0));
            } else {
              throw FetchException.refused(refusal(other));
            }
          }
        }
      } catch (ExecutionException e) {
        throw new IOException(e.getCause());
      } finally {
        connection.close();
      }
    }
  }

  static String refusal(Ending.Other other) {
    return "the source answers %d: %s".formatted(other.status(), other.text());
  }

  private static Throwable cause(ExecutionException e) {
    return e.getCause() == null ? e : e.getCause();
  }

  private SourceConnection connect() throws ExecutionException, InterruptedException {
    CompletableFuture<SourceConnection> connected = new CompletableFuture<>();
    client.connect((connection, failure) -> {
      if (failure == null) {
        connected.complete(connection);
      } else {
        connected.completeExceptionally(failure);
      }
    });
    return connected.get();
  }

  private static void pause(long nanos) throws InterruptedException {
    try {
      new CompletableFuture<Void>().get(nanos, TimeUnit.NANOSECONDS);
    } catch (TimeoutException | ExecutionException over) {
      // As wanted.
    }
  }
}
