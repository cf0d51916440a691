package dev.weir.replication.fetch;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.zip.CRC32C;

/**
 * Asks for a piece, writes what comes where it belongs, and checks each chunk. A chunk counts once
 * its checksum is right; what is wrong is overwritten when it comes again. After {@link #ended},
 * and not before, the lists are for whoever was told of the end.
 */
final class PieceExchange implements Exchange {
  private final String path;
  private final String tag;
  private final Piece piece;
  private final Progress progress;
  private final BiConsumer<PieceExchange, Ending> onEnd;
  private final CRC32C crc = new CRC32C();
  private final BitSet good = new BitSet();
  private final BitSet bad = new BitSet();
  private int index;
  private int done;

  PieceExchange(
      String path,
      String tag,
      Piece piece,
      Progress progress,
      BiConsumer<PieceExchange, Ending> onEnd) {
    this.path = path;
    this.tag = tag;
    this.piece = piece;
    this.progress = progress;
    this.onEnd = onEnd;
  }

  Piece piece() {
    return piece;
  }

  /** Chunks that have not come whole. */
  List<Chunk> missing() {
    List<Chunk> chunks = new ArrayList<>();
    for (int i = 0; i < piece.chunks().size(); i++) {
      if (!good.get(i) && !bad.get(i)) {
        chunks.add(piece.chunks().get(i));
      }
    }
    return chunks;
  }

  /** Chunks that have come, and are wrong. */
  List<Chunk> wrong() {
    return bad.stream().mapToObj(piece.chunks()::get).toList();
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
    while (part.isReadable()) {
      Chunk chunk = piece.chunks().get(index);
      int bytes = Math.min(part.readableBytes(), chunk.bytes() - done);
      ByteBuffer content = part.nioBuffer(part.readerIndex(), bytes);
      crc.update(content.duplicate());
      long position = chunk.fileOffset() + done;
      while (content.hasRemaining()) {
        position += chunk.file().channel().write(content, position);
      }
      part.skipBytes(bytes);
      done += bytes;
      if (done == chunk.bytes()) {
        check(chunk);
      }
    }
  }

  private void check(Chunk chunk) {
    if ((int) crc.getValue() == chunk.crc()) {
      good.set(index);
      progress.verified(chunk.bytes());
      chunk.file().giveBack();
    } else {
      bad.set(index);
      progress.badChunk();
    }
    crc.reset();
    done = 0;
    index++;
  }

  @Override
  public void ended(Ending ending) {
    onEnd.accept(this, ending);
  }
}
