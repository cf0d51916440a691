package dev.weir.replication.push;

import dev.weir.replication.client.Client;
import dev.weir.replication.client.Exchange;
import dev.weir.replication.client.Exchange.Ending;
import dev.weir.replication.client.Peer;
import dev.weir.replication.client.ShortExchange;
import dev.weir.replication.source.Snapshot;
import dev.weir.replication.transfer.Patience;
import dev.weir.replication.transfer.Progress;
import dev.weir.replication.transfer.TransferException;
import io.netty.handler.codec.http.HttpMethod;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The import at the server: begun, asked for, and waited for. For the push's thread. */
final class Session {
  static final int NOT_FOUND = 404;

  private static final int OK = 200;
  private static final int CREATED = 201;
  private static final int ACCEPTED = 202;
  private static final int BUSY = 503;
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private static final long FIRST_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private final Client client;
  private final Peer peer;
  private final String container;
  private final Snapshot snapshot;
  private final Progress progress;
  private String id = "";

  Session(Client client, Peer peer, String container, Snapshot snapshot, Progress progress) {
    this.client = client;
    this.peer = peer;
    this.container = container;
    this.snapshot = snapshot;
    this.progress = progress;
  }

  Peer peer() {
    return peer;
  }

  String id() {
    return id;
  }

  String path() {
    return "/imports/" + id;
  }

  /**
   * Posts the manifest, and waits until the server has looked at what is there.
   *
   * @return the first page of what is missing
   */
  RemoteImport begin() throws IOException, InterruptedException {
    while (true) {
      Ending.Other answer = ask(onEnd -> new ManifestPost(container, snapshot.manifest(), onEnd));
      if (answer.status() != OK && answer.status() != CREATED && answer.status() != ACCEPTED) {
        throw refused(answer);
      }
      RemoteImport begun = RemoteImport.parse(answer.text());
      id = begun.id();
      while (begun.isChecking()) {
        progress.say("the server looks at what is there");
        Client.pause(POLL_NANOS);
        begun = describe(0);
      }
      if (!begun.hasEnded()) {
        return begun;
      }
      if (answer.status() == ACCEPTED) {
        // Checked, and found wanting: the post would have said the same.
        throw TransferException.refused("the server refuses: " + begun.reason());
      }
      failed(begun.reason());
    }
  }

  /** What is missing from a byte on. */
  RemoteImport describe(long first) throws IOException, InterruptedException {
    Ending.Other answer =
        ask(onEnd -> new ShortExchange(HttpMethod.GET, path() + "?first=" + first, onEnd));
    if (answer.status() != OK) {
      throw refused(answer);
    }
    return RemoteImport.parse(answer.text());
  }

  /**
   * Waits until the container has its name.
   *
   * @return what is missing after all, where the server has lost something; null for nothing
   */
  @Nullable RemoteImport finish() throws IOException, InterruptedException {
    progress.begin(Progress.Step.SYNC);
    long pauseNanos = FIRST_POLL_NANOS;
    while (true) {
      RemoteImport now = describe(0);
      if (now.isDone()) {
        return null;
      }
      if (now.hasEnded()) {
        throw TransferException.refused("the server has ended the import: " + now.reason());
      }
      if (!now.missing().isEmpty()) {
        return now;
      }
      Client.pause(pauseNanos);
      pauseNanos = Math.min(2 * pauseNanos, POLL_NANOS);
    }
  }

  /** Counts a failure of the server, and waits. */
  void failed(String reason) throws TransferException, InterruptedException {
    Client.pause(peer.failed(new IOException(reason), progress.verifiedBytes()));
  }

  static TransferException refused(Ending.Other answer) {
    return TransferException.refused(
        "the server answers %d: %s".formatted(answer.status(), RemoteImport.reason(answer.text())));
  }

  private Ending.Other ask(Function<Consumer<Ending>, Exchange> exchange)
      throws IOException, InterruptedException {
    while (true) {
      Ending ending = client.ask(peer, exchange);
      switch (ending) {
        case Ending.Other other when other.status() != BUSY -> {
          return other;
        }
        case Ending.Other busy -> failed(busy.text());
        case Ending.Lost lost -> {
          progress.lostConnection(Patience.reason(lost.cause()));
          Client.pause(peer.failed(lost.cause(), progress.verifiedBytes()));
        }
        case Ending.Failed failed -> throw failed.cause();
        case Ending.Whole _ -> throw new IllegalStateException("an answer is taken as text");
      }
    }
  }
}
