package dev.weir.replication.fetch;

import dev.weir.replication.fetch.Exchange.Ending;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Gives pieces to connections until all have come: new ones from the plan, and those again that
 * were lost or wrong. One thread runs it; connections tell it of what happens by a queue.
 */
final class Transfer {
  private static final long TICK_MILLIS = 200;
  private static final int BUSY = 503;

  /** Something that a connection tells, dealt with on the transfer's thread. */
  private interface Event {
    void handle() throws IOException;
  }

  private final SourceClient client;
  private final int mostConnections;
  private final String path;
  private final String tag;
  private final Plan plan;
  private final TargetTree tree;
  private final Progress progress;
  private final Patience patience;

  /** Bounded by the connections: each has one thing to tell at a time. */
  private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();

  private final Deque<Piece> again = new ArrayDeque<>();
  private final Deque<SourceConnection> idle = new ArrayDeque<>();
  private int busy;
  private long pausedUntilNanos = System.nanoTime();

  Transfer(
      SourceClient client,
      int mostConnections,
      String base,
      String tag,
      Plan plan,
      TargetTree tree,
      Progress progress,
      Patience patience) {
    this.client = client;
    this.mostConnections = mostConnections;
    this.path = base + "/bytes";
    this.tag = tag;
    this.plan = plan;
    this.tree = tree;
    this.progress = progress;
    this.patience = patience;
  }

  /**
   * Runs until every chunk is there.
   *
   * @param onTick runs a few times a second
   */
  void run(Tick onTick) throws IOException, InterruptedException {
    try {
      while (assign() || busy > 0) {
        Event event = events.poll(TICK_MILLIS, TimeUnit.MILLISECONDS);
        while (event != null) {
          event.handle();
          event = events.poll();
        }
        tree.rethrow();
        onTick.run();
      }
    } finally {
      idle.forEach(SourceConnection::close);
    }
  }

  /** What runs beside the transfer. */
  interface Tick {
    void run() throws IOException;
  }

  /** Begins what can be begun, and says whether something waits for a later time. */
  private boolean assign() throws IOException, InterruptedException {
    while (busy < mostConnections) {
      if (System.nanoTime() - pausedUntilNanos < 0) {
        return true;
      }
      Piece piece = again.isEmpty() ? plan.next() : again.removeFirst();
      if (piece == null) {
        return false;
      }
      busy++;
      SourceConnection connection = nextIdle();
      if (connection != null) {
        begin(connection, piece);
      } else {
        client.connect((fresh, failure) -> events.add(() -> connected(fresh, failure, piece)));
      }
    }
    return false;
  }

  private @Nullable SourceConnection nextIdle() {
    SourceConnection connection = idle.pollFirst();
    while (connection != null && !connection.isOpen()) {
      connection = idle.pollFirst();
    }
    return connection;
  }

  private void connected(SourceConnection connection, @Nullable Throwable failure, Piece piece)
      throws FetchException {
    if (failure == null) {
      begin(connection, piece);
      return;
    }
    busy--;
    again.addFirst(piece);
    lost(failure);
  }

  private void begin(SourceConnection connection, Piece piece) {
    connection.begin(
        new PieceExchange(
            path,
            tag,
            piece,
            progress,
            (exchange, ending) -> events.add(() -> ended(connection, exchange, ending))));
  }

  private void ended(SourceConnection connection, PieceExchange exchange, Ending ending)
      throws IOException {
    busy--;
    again.addAll(Piece.of(exchange.missing(), exchange.piece().isSecondTry()));
    List<Chunk> wrong = exchange.wrong();
    if (exchange.piece().isSecondTry() && !wrong.isEmpty()) {
      throw corrupt(wrong.getFirst());
    }
    again.addAll(Piece.of(wrong, /* isSecondTry= */ true));
    switch (ending) {
      case Ending.Whole _ -> idle.addFirst(connection);
      case Ending.Lost lost -> lost(lost.cause());
      case Ending.Failed failed -> throw local(failed.cause());
      case Ending.Other other -> {
        if (other.status() != BUSY) {
          throw FetchException.refused(ManifestDownload.refusal(other));
        }
        lost(new IOException(other.text()));
      }
    }
  }

  private void lost(Throwable cause) throws FetchException {
    progress.lostConnection(Patience.reason(cause));
    pausedUntilNanos = System.nanoTime() + patience.failed(cause, progress.verifiedBytes());
  }

  private static FetchException corrupt(Chunk chunk) {
    return new FetchException(
        FetchException.Reason.CORRUPT,
        ("the file '%s' is corrupt at the source: %,d bytes from %,d on were wrong twice;"
                + " restore it there, and fetch again")
            .formatted(chunk.file().entry().path(), chunk.bytes(), chunk.fileOffset()),
        null);
  }

  private static IOException local(IOException failure) {
    return Patience.reason(failure).contains("No space left")
        ? new FetchException(
            FetchException.Reason.REFUSED,
            "the disk is full; what has come is kept: free some space, and fetch again to go on",
            failure)
        : failure;
  }
}
