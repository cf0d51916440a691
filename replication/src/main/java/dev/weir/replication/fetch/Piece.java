package dev.weir.replication.fetch;

import dev.weir.replication.receive.Chunk;
import java.util.ArrayList;
import java.util.List;

/**
 * Chunks that follow each other in the byte space: what one request asks for.
 *
 * @param wrongFrom the sources that have sent each of them wrong, as often as they did
 */
record Piece(List<Chunk> chunks, List<Source> wrongFrom) {
  long offset() {
    return chunks.getFirst().spaceOffset();
  }

  long length() {
    return chunks.getLast().spaceEnd() - offset();
  }

  /** The same chunks as pieces, each without gaps. */
  static List<Piece> of(List<Chunk> rest, List<Source> wrongFrom) {
    List<Piece> pieces = new ArrayList<>();
    List<Chunk> run = new ArrayList<>();
    for (Chunk chunk : rest) {
      if (!run.isEmpty() && run.getLast().spaceEnd() != chunk.spaceOffset()) {
        pieces.add(new Piece(List.copyOf(run), wrongFrom));
        run.clear();
      }
      run.add(chunk);
    }
    if (!run.isEmpty()) {
      pieces.add(new Piece(List.copyOf(run), wrongFrom));
    }
    return pieces;
  }
}
