package dev.weir.lab.grpc;

/**
 * A container's bytes as messages: files named from 0 on, all of one size, each cut into pieces.
 *
 * @param files how many
 * @param fileBytes of each
 */
public record Layout(int files, long fileBytes) {
  /** Of a piece, at most; that of a file's end is shorter. */
  static final int PIECE_BYTES = 1 << 20;

  /** Of all files. */
  public int pieces() {
    return files * piecesOfFile();
  }

  private int piecesOfFile() {
    return (int) Math.ceilDiv(fileBytes, PIECE_BYTES);
  }

  /** The file that a piece is of. */
  int file(int piece) {
    return piece / piecesOfFile();
  }

  /** Where it begins in its file. */
  long offset(int piece) {
    return (long) (piece % piecesOfFile()) * PIECE_BYTES;
  }

  /** Its bytes. */
  int length(int piece) {
    return (int) Math.min(PIECE_BYTES, fileBytes - offset(piece));
  }
}
