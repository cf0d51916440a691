package dev.weir.replication.serve;

import dev.weir.replication.imports.ImportRefusal;
import dev.weir.replication.manifest.ManifestException;
import dev.weir.replication.receive.NoRoomException;
import dev.weir.replication.receive.TakenException;
import dev.weir.replication.transfer.Patience;
import dev.weir.replication.transfer.TransferException;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.IOException;
import java.util.concurrent.CompletionException;

/** What an import's failures are answered with. */
final class Refusals {
  private Refusals() {}

  /** An answer. */
  record Answer(HttpResponseStatus status, Refusal reason, String text) {}

  static Answer of(Throwable failure) {
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    if (cause instanceof IOException refused) {
      cause = NoRoomException.orElse(refused);
    }
    String text = Patience.reason(cause);
    return switch (cause) {
      case TakenException _ -> new Answer(HttpResponseStatus.CONFLICT, Refusal.EXISTS, text);
      case NoRoomException _ ->
          new Answer(HttpResponseStatus.INSUFFICIENT_STORAGE, Refusal.DISK, text);
      case ManifestException _ ->
          new Answer(HttpResponseStatus.UNPROCESSABLE_ENTITY, Refusal.MANIFEST, text);
      case TransferException _ ->
          new Answer(HttpResponseStatus.UNPROCESSABLE_ENTITY, Refusal.MANIFEST, text);
      case ImportRefusal refusal ->
          switch (refusal.why()) {
            case RANGE ->
                new Answer(
                    HttpResponseStatus.REQUESTED_RANGE_NOT_SATISFIABLE, Refusal.REQUEST, text);
            case BUSY -> new Answer(HttpResponseStatus.SERVICE_UNAVAILABLE, Refusal.BUSY, text);
            case GONE -> new Answer(HttpResponseStatus.NOT_FOUND, Refusal.MISSING, text);
            case CANCELLED -> new Answer(HttpResponseStatus.GONE, Refusal.MISSING, text);
            case NOT_NOW -> new Answer(HttpResponseStatus.CONFLICT, Refusal.EXISTS, text);
          };
      default ->
          new Answer(
              HttpResponseStatus.INTERNAL_SERVER_ERROR,
              Refusal.FAILED,
              "the server fails: " + text);
    };
  }
}
