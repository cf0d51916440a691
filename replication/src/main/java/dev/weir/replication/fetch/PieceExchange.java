package dev.weir.replication.fetch;

import dev.weir.replication.client.Exchange;
import dev.weir.replication.receive.Chunk;
import dev.weir.replication.receive.ChunkIntake;
import dev.weir.replication.transfer.Progress;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.io.IOException;
import java.util.function.Consumer;

/** Asks for a piece. After {@link #ended}, and not before, its intake is for the fetch's thread. */
final class PieceExchange implements Exchange, ChunkIntake.Listener {
  private final String path;
  private final String tag;
  private final Piece piece;
  private final Progress progress;
  private final ChunkIntake intake;
  private final Consumer<Ending> onEnd;

  PieceExchange(String path, String tag, Piece piece, Progress progress, Consumer<Ending> onEnd) {
    this.path = path;
    this.tag = tag;
    this.piece = piece;
    this.progress = progress;
    this.intake = new ChunkIntake(piece.chunks(), this);
    this.onEnd = onEnd;
  }

  ChunkIntake intake() {
    return intake;
  }

  @Override
  public String path() {
    return path;
  }

  @Override
  public void headers(HttpHeaders headers) {
    headers
        .set(
            HttpHeaderNames.RANGE,
            "bytes=%d-%d".formatted(piece.offset(), piece.offset() + piece.length() - 1))
        .set(HttpHeaderNames.IF_MATCH, '"' + tag + '"');
  }

  @Override
  public boolean accepts(int status, HttpHeaders headers) {
    String range = headers.get(HttpHeaderNames.CONTENT_RANGE, "");
    return status == 206
        && range.startsWith(
            "bytes %d-%d/".formatted(piece.offset(), piece.offset() + piece.length() - 1))
        && headers.get(HttpHeaderNames.CONTENT_LENGTH, "").equals(Long.toString(piece.length()));
  }

  @Override
  public void accept(ByteBuf part) throws IOException {
    progress.received(part.readableBytes());
    intake.accept(part);
  }

  @Override
  public void verified(Chunk chunk) {
    progress.verified(chunk.bytes());
    chunk.file().giveBack();
  }

  @Override
  public void wrong(Chunk chunk) {
    progress.badChunk();
  }

  @Override
  public void ended(Ending ending) {
    onEnd.accept(ending);
  }
}
