package dev.weir.replication.fetch;

import dev.weir.replication.client.Client;
import dev.weir.replication.client.Exchange.Ending;
import dev.weir.replication.net.Lag;
import dev.weir.replication.transfer.Patience;
import dev.weir.replication.transfer.Progress;
import dev.weir.replication.transfer.TransferException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Gets a manifest, for which the source may need time. For one thread. */
final class ManifestDownload {
  private static final long POLL_MILLIS = 500;
  private static final int BUSY = 503;
  private static final int NOT_MODIFIED = 304;

  private final Client client;
  private final Progress progress;
  private final Source source;
  private final String knownTag;
  private Lag lag = Lag.UNKNOWN;

  /** Only of another manifest than the one with a tag; any, where that is empty. */
  ManifestDownload(Client client, Progress progress, Source source, String knownTag) {
    this.client = client;
    this.progress = progress;
    this.source = source;
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
    String path = source.base() + "/manifest";
    while (true) {
      try (ManifestExchange exchange = new ManifestExchange(path, knownTag, file)) {
        Ending ending = client.ask(source.peer(), exchange::telling);
        lag = exchange.lag();
        switch (ending) {
          case Ending.Whole _ -> {
            source.know();
            return exchange.tag();
          }
          case Ending.Lost lost -> {
            progress.lostConnection(Patience.reason(lost.cause()));
            Client.pause(source.peer().failed(lost.cause(), 0));
          }
          case Ending.Failed failed -> throw failed.cause();
          case Ending.Other other -> {
            if (other.status() == NOT_MODIFIED && !knownTag.isEmpty()) {
              return knownTag;
            } else if (other.status() == Source.ACCEPTED) {
              progress.say("the source reads the container: " + other.text());
              path = source.next(other, path);
              Client.pause(TimeUnit.MILLISECONDS.toNanos(POLL_MILLIS));
            } else if (other.status() == BUSY) {
              Client.pause(source.peer().failed(new IOException(other.text()), 0));
            } else {
              throw TransferException.refused(source.refusal(other));
            }
          }
        }
      }
    }
  }
}
