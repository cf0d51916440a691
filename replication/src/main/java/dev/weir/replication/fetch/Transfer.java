package dev.weir.replication.fetch;

import dev.weir.replication.client.Client;
import dev.weir.replication.client.Dispatcher;
import dev.weir.replication.client.Exchange;
import dev.weir.replication.client.Exchange.Ending;
import dev.weir.replication.client.Peer;
import dev.weir.replication.receive.Chunk;
import dev.weir.replication.receive.NoRoomException;
import dev.weir.replication.receive.Plan;
import dev.weir.replication.receive.TargetTree;
import dev.weir.replication.transfer.Progress;
import dev.weir.replication.transfer.TransferException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Asks for pieces until all have come: new ones from the plan, and those again that were lost or
 * wrong. The first source is asked for all; the next ones for what it sends wrong twice, and for
 * the rest when it is of no use any more. For one thread.
 */
final class Transfer implements Dispatcher.Jobs {
  private static final int MOST_WRONG = 2;

  private final Client client;
  private final int mostConnections;
  private final List<Source> sources;
  private final String tag;
  private final Plan plan;
  private final TargetTree tree;
  private final Progress progress;
  private final Tick onTick;
  private final Deque<Piece> again = new ArrayDeque<>();

  /**
   * Has not begun.
   *
   * @param sources in the order in which they are asked; one of no use is removed
   * @param onTick runs a few times a second
   */
  Transfer(
      Client client,
      int mostConnections,
      List<Source> sources,
      String tag,
      Plan plan,
      TargetTree tree,
      Progress progress,
      Tick onTick) {
    this.client = client;
    this.mostConnections = mostConnections;
    this.sources = sources;
    this.tag = tag;
    this.plan = plan;
    this.tree = tree;
    this.progress = progress;
    this.onTick = onTick;
  }

  /** What runs beside the transfer. */
  interface Tick {
    void run() throws IOException;
  }

  /** Runs until every chunk is there. */
  void run() throws IOException, InterruptedException {
    new Dispatcher(client, mostConnections, progress, this).run();
  }

  @Override
  public Dispatcher.@Nullable Job next() throws IOException, InterruptedException {
    Piece piece = again.pollFirst();
    if (piece == null) {
      List<Chunk> chunks = plan.next();
      if (chunks.isEmpty()) {
        return null;
      }
      piece = new Piece(List.copyOf(chunks), List.of());
    }
    return new PieceJob(sourceOf(piece), piece);
  }

  @Override
  public void tick() throws IOException {
    tree.rethrow();
    onTick.run();
  }

  /** The first source that has not sent it wrong twice. */
  private Source sourceOf(Piece piece) throws TransferException, InterruptedException {
    for (Source source : List.copyOf(sources)) {
      if (Collections.frequency(piece.wrongFrom(), source) < MOST_WRONG) {
        try {
          source.require(tag, client, progress);
          return source;
        } catch (TransferException e) {
          leave(source, e);
        }
      }
    }
    Chunk chunk = piece.chunks().getFirst();
    throw new TransferException(
        TransferException.Reason.CORRUPT,
        ("the file '%s' is corrupt at %s: %,d bytes from %,d on were wrong twice;"
                + " restore it there, and fetch again")
            .formatted(
                chunk.file().entry().path(),
                piece.wrongFrom().stream()
                    .distinct()
                    .map(source -> source.peer().toString())
                    .collect(Collectors.joining(" and ")),
                chunk.bytes(),
                chunk.fileOffset()),
        null);
  }

  @Override
  public void unreachable(Peer peer, TransferException failure) throws TransferException {
    for (Source source : List.copyOf(sources)) {
      if (source.peer().equals(peer)) {
        leave(source, failure);
      }
    }
  }

  private void leave(Source source, TransferException failure) throws TransferException {
    if (sources.size() == 1 && sources.contains(source)) {
      throw failure;
    }
    if (sources.remove(source)) {
      progress.say(source.useless(failure));
    }
  }

  private final class PieceJob implements Dispatcher.Job {
    private final Source source;
    private final Piece piece;
    private @Nullable PieceExchange exchange;

    PieceJob(Source source, Piece piece) {
      this.source = source;
      this.piece = piece;
    }

    @Override
    public Peer peer() {
      return source.peer();
    }

    @Override
    public Exchange begin(Consumer<Ending> onEnd) {
      PieceExchange begun =
          new PieceExchange(source.base() + "/bytes", tag, piece, progress, onEnd);
      exchange = begun;
      return begun;
    }

    @Override
    public void ended(Ending ending) throws IOException {
      PieceExchange begun = exchange;
      if (begun == null) {
        again.addFirst(piece);
      } else {
        again.addAll(Piece.of(begun.intake().missing(), piece.wrongFrom()));
        List<Source> wrongFrom = new ArrayList<>(piece.wrongFrom());
        wrongFrom.add(source);
        for (Chunk chunk : begun.intake().wrong()) {
          again.add(new Piece(List.of(chunk), List.copyOf(wrongFrom)));
        }
      }
      if (ending instanceof Ending.Failed failed) {
        throw NoRoomException.orElse(failed.cause());
      }
      if (ending instanceof Ending.Other other) {
        leave(source, TransferException.refused(source.refusal(other)));
      }
    }
  }
}
