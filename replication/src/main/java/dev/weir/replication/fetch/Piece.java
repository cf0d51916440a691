package dev.weir.replication.fetch;

import java.util.ArrayList;
import java.util.List;

/**
 * Chunks that follow each other in the byte space: what one request asks for.
 *
 * @param isSecondTry whether each has been wrong once
 */
record Piece(List<Chunk> chunks, boolean isSecondTry) {
  static final int MOST_CHUNKS = 256;
  static final int MOST_FILES = 64;

  long offset() {
    return chunks.getFirst().spaceOffset();
  }

  long length() {
    return chunks.getLast().spaceEnd() - offset();
  }

  /** The same chunks as pieces, each without gaps. */
  static List<Piece> of(List<Chunk> rest, boolean isSecondTry) {
    List<Piece> pieces = new ArrayList<>();
    List<Chunk> run = new ArrayList<>();
    for (Chunk chunk : rest) {
      if (!run.isEmpty() && run.getLast().spaceEnd() != chunk.spaceOffset()) {
        pieces.add(new Piece(List.copyOf(run), isSecondTry));
        run.clear();
      }
      run.add(chunk);
    }
    if (!run.isEmpty()) {
      pieces.add(new Piece(List.copyOf(run), isSecondTry));
    }
    return pieces;
  }
}
