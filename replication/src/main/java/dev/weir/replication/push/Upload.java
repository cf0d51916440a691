package dev.weir.replication.push;

import dev.weir.replication.client.Client;
import dev.weir.replication.client.Dispatcher;
import dev.weir.replication.client.Exchange;
import dev.weir.replication.client.Exchange.Ending;
import dev.weir.replication.client.Peer;
import dev.weir.replication.client.ShortExchange;
import dev.weir.replication.source.Snapshot;
import dev.weir.replication.transfer.Progress;
import dev.weir.replication.transfer.TransferException;
import io.netty.handler.codec.http.HttpMethod;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Brings parts until the server has all: new ones from the list of what is missing, and those again
 * that were wrong. What was under way on a connection that broke is asked for first, so only what
 * the server lacks of it is sent again. For one thread.
 */
final class Upload implements Dispatcher.Jobs {
  private static final int OK = 200;
  private static final int NO_CONTENT = 204;
  private static final int WRONG_CHUNK = 422;

  private final Client client;
  private final int mostConnections;
  private final Session session;
  private final Snapshot snapshot;
  private final MissingParts missing;
  private final Progress progress;
  private final Deque<Dispatcher.Job> again = new ArrayDeque<>();
  private boolean isForgotten;

  Upload(
      Client client,
      int mostConnections,
      Session session,
      Snapshot snapshot,
      MissingParts missing,
      Progress progress) {
    this.client = client;
    this.mostConnections = mostConnections;
    this.session = session;
    this.snapshot = snapshot;
    this.missing = missing;
    this.progress = progress;
  }

  /** Runs until every part has been taken. */
  void run() throws IOException, InterruptedException {
    new Dispatcher(client, mostConnections, progress, this).run();
  }

  @Override
  public Dispatcher.@Nullable Job next() throws IOException, InterruptedException {
    if (isForgotten) {
      session.failed("the server does not know the import any more");
      session.begin();
      isForgotten = false;
    }
    Dispatcher.Job job = again.pollFirst();
    if (job != null) {
      return job;
    }
    Part part = missing.next();
    return part == null ? null : new PartJob(part);
  }

  @Override
  public void tick() {
    // Nothing runs beside it.
  }

  @Override
  public void unreachable(Peer peer, TransferException failure) throws TransferException {
    throw failure;
  }

  private final class PartJob implements Dispatcher.Job {
    private final Part part;
    private boolean begun;

    PartJob(Part part) {
      this.part = part;
    }

    @Override
    public Peer peer() {
      return session.peer();
    }

    @Override
    public Exchange begin(Consumer<Ending> onEnd) {
      begun = true;
      return new PartExchange(session.path(), part, snapshot, progress, onEnd);
    }

    @Override
    public void ended(Ending ending) throws IOException {
      switch (ending) {
        case Ending.Other other when other.status() == NO_CONTENT ->
            progress.verified(part.length());
        case Ending.Other other when other.status() == WRONG_CHUNK -> wrong(other.text());
        case Ending.Other other when other.status() == Session.NOT_FOUND -> {
          isForgotten = true;
          again.add(new RestJob(part));
        }
        case Ending.Other other -> throw Session.refused(other);
        case Ending.Lost _ -> again.add(begun ? new RestJob(part) : new PartJob(part));
        case Ending.Failed failed -> throw failed.cause();
        case Ending.Whole _ -> throw new IllegalStateException("an answer is taken as text");
      }
    }

    private void wrong(String text) throws IOException {
      if (part.isSecondTry()) {
        throw new TransferException(
            TransferException.Reason.CORRUPT,
            RemoteImport.reason(text)
                + ": it was wrong twice, so restore the file here, and push again",
            null);
      }
      List<Part> ranges = RemoteImport.wrong(text);
      if (ranges.isEmpty()) {
        throw new IOException("the server's answer names no ranges");
      }
      long right = part.length();
      for (Part range : ranges) {
        progress.badChunk();
        right -= range.length();
        again.add(new PartJob(new Part(range.first(), range.last(), /* isSecondTry= */ true)));
      }
      progress.verified(right);
    }
  }

  /** Asks what is missing of a part, and brings that. */
  private final class RestJob implements Dispatcher.Job {
    private final Part part;

    RestJob(Part part) {
      this.part = part;
    }

    @Override
    public Peer peer() {
      return session.peer();
    }

    @Override
    public Exchange begin(Consumer<Ending> onEnd) {
      return new ShortExchange(
          HttpMethod.GET,
          "%s?first=%d&last=%d".formatted(session.path(), part.first(), part.last()),
          onEnd);
    }

    @Override
    public void ended(Ending ending) throws IOException {
      switch (ending) {
        case Ending.Other other when other.status() == OK -> rest(RemoteImport.parse(other.text()));
        case Ending.Other other when other.status() == Session.NOT_FOUND -> {
          isForgotten = true;
          again.add(this);
        }
        case Ending.Other other -> throw Session.refused(other);
        case Ending.Lost _ -> again.add(this);
        case Ending.Failed failed -> throw failed.cause();
        case Ending.Whole _ -> throw new IllegalStateException("an answer is taken as text");
      }
    }

    private void rest(RemoteImport now) {
      if (now.hasEnded()) {
        isForgotten = true;
        again.add(this);
        return;
      }
      long there = part.length();
      for (Part range : now.missing()) {
        there -= range.length();
        again.add(new PartJob(new Part(range.first(), range.last(), part.isSecondTry())));
      }
      progress.verified(there);
    }
  }
}
