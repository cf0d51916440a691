package dev.weir.replication.fetch;

import dev.weir.replication.client.Client;
import dev.weir.replication.client.Exchange.Ending;
import dev.weir.replication.client.Peer;
import dev.weir.replication.client.ShortExchange;
import dev.weir.replication.transfer.Patience;
import dev.weir.replication.transfer.Progress;
import dev.weir.replication.transfer.TransferException;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** One server that has the container. For the fetch's thread. */
final class Source {
  static final int ACCEPTED = 202;

  private static final int OK = 200;
  private static final int BUSY = 503;
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final Peer peer;
  private final String base;
  private boolean checked;

  Source(SourceAddress address) {
    peer = new Peer(address.address(), address.tls());
    base = "/containers/" + address.container();
  }

  Peer peer() {
    return peer;
  }

  String base() {
    return base;
  }

  /** Its manifest is the one that is copied. */
  void know() {
    checked = true;
  }

  /**
   * Sees that it has the same manifest, where that is not known: only then does it serve ranges of
   * it. Waits while it reads its container.
   *
   * @throws TransferException when it has another, or does not answer
   */
  void require(String tag, Client client, Progress progress)
      throws TransferException, InterruptedException {
    String path = base + "/manifest";
    while (!checked) {
      String now = path;
      Ending ending = client.ask(peer, onEnd -> new ShortExchange(HttpMethod.HEAD, now, onEnd));
      if (ending instanceof Ending.Other other && other.status() != BUSY) {
        if (other.status() == ACCEPTED) {
          path = next(other, path);
          progress.say(peer + " reads the container");
          Client.pause(POLL_NANOS);
          continue;
        }
        String theirs = other.headers().get(HttpHeaderNames.ETAG, "").replace("\"", "");
        if (other.status() != OK || !theirs.equals(tag)) {
          throw TransferException.refused(
              "%s has another content of the container (status %d)"
                  .formatted(peer, other.status()));
        }
        checked = true;
      } else {
        Client.pause(peer.failed(cause(ending), progress.verifiedBytes()));
      }
    }
  }

  /** Where to ask again for a manifest that is being made. */
  String next(Ending.Other other, String path) {
    String next = other.headers().get(HttpHeaderNames.LOCATION, path);
    return next.startsWith(base + "/manifest") ? next : path;
  }

  static Throwable cause(Ending ending) {
    return switch (ending) {
      case Ending.Lost lost -> lost.cause();
      case Ending.Failed failed -> failed.cause();
      case Ending.Other other -> new IOException(other.text());
      case Ending.Whole _ -> new IOException("an answer that nobody asked for");
    };
  }

  String refusal(Ending.Other other) {
    return "the source answers %d: %s".formatted(other.status(), other.text());
  }

  /** Why it is of no use, in words. */
  String useless(Throwable failure) {
    return "%s is left: %s".formatted(peer, Patience.reason(failure));
  }
}
