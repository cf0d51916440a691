package dev.weir.server.http;

import dev.weir.server.metrics.Failure;
import dev.weir.streams.CatalogFullException;
import dev.weir.streams.StorageFullException;
import dev.weir.streams.StoreFailedException;
import dev.weir.streams.Stream;
import dev.weir.streams.UnflushedFullException;
import dev.weir.streams.protocol.ProtocolException;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** What a client is told when something fails: a status and one line. */
final class Refusals {
  private static final System.Logger LOG = System.getLogger(Refusals.class.getName());

  private Refusals() {}

  record Refusal(int status, String reason) {}

  /** For a request that is no HTTP. */
  static Refusal of(Throwable malformed) {
    if (malformed instanceof TooLongHttpLineException) {
      return new Refusal(
          414,
          "the request line is over the limit of " + HttpLimits.MAX_REQUEST_LINE_BYTES + " bytes");
    }
    if (malformed instanceof TooLongHttpHeaderException) {
      return new Refusal(
          431, "the headers are over the limit of " + HttpLimits.MAX_HEADER_BYTES + " bytes");
    }
    return new Refusal(400, "malformed HTTP: " + oneLine(malformed.getMessage()));
  }

  /** For a client that has not sent {@code what} in time. */
  static Refusal tooSlow(String what, Duration limit) {
    return new Refusal(408, what + " in " + limit.toMillis() + " ms, the limit");
  }

  /** For a client that has sent next to nothing of a body for a while. */
  static Refusal stalledBody(HttpLimits limits) {
    return tooSlow(
        "less than " + StallGuard.LEAST_BYTES + " bytes of the body came", limits.stallTimeout());
  }

  /** Refuses for what is wrong with a request, or for an error of the store. */
  static void refuse(Exchange exchange, Throwable error) {
    Throwable cause =
        error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    switch (cause) {
      case ProtocolException reason ->
          exchange.refuse(reason, reason.status() == 503 ? later() : EmptyHttpHeaders.INSTANCE);
      case StorageFullException full -> {
        exchange.conditions().noDisk();
        exchange.refuse(507, oneLine(full.getMessage()), EmptyHttpHeaders.INSTANCE);
      }
      case CatalogFullException full ->
          exchange.refuse(507, oneLine(full.getMessage()), EmptyHttpHeaders.INSTANCE);
      case UnflushedFullException full -> exchange.refuse(503, oneLine(full.getMessage()), later());
      case StoreFailedException failed ->
          exchange.refuse(503, oneLine(failed.getMessage()), EmptyHttpHeaders.INSTANCE);
      case Throwable refused when Failure.of(refused) == Failure.MEMORY -> {
        LOG.log(System.Logger.Level.WARNING, "no memory for a request", refused);
        exchange.refuse(503, FixedAnswer.NO_ROOM, later());
      }
      default -> {
        LOG.log(System.Logger.Level.ERROR, "a request failed", cause);
        // Not its message, which may name what is no client's business, such as paths.
        exchange.refuse(
            500,
            "the node failed (%s); its log says more".formatted(cause.getClass().getSimpleName()),
            EmptyHttpHeaders.INSTANCE);
      }
    }
  }

  /**
   * The same for what failed while bytes of a stream were read: a file that is not there was
   * deleted with its stream, or else that is damage.
   *
   * @param stream null where it is not known
   */
  static void refuseRead(Exchange exchange, Throwable error, @Nullable Stream stream) {
    if (!(error instanceof NoSuchFileException) || stream == null) {
      refuse(exchange, error);
    } else if (stream.isRemoved()) {
      exchange.refuse(404, "the stream was deleted", EmptyHttpHeaders.INSTANCE);
    } else {
      refuse(exchange, new IOException("a file of the stream is missing", error));
    }
  }

  private static HttpHeaders later() {
    return Headers.create().set(HttpHeaderNames.RETRY_AFTER, "1");
  }

  private static String oneLine(@Nullable String text) {
    if (text == null) {
      return "no reason known";
    }
    String line = text.replaceAll("[\\p{Cc}\\p{Cf}\\u2028\\u2029]+", " ");
    return line.length() > 200 ? line.substring(0, 200) + "…" : line;
  }
}
