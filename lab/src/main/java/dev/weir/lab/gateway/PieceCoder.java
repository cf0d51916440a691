package dev.weir.lab.gateway;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;

/** Compresses the pieces of one response in the Java heap. Used by one thread. */
interface PieceCoder {
  /** Zstd's level, the same for all. */
  int LEVEL = 3;

  /** What the piece becomes: none of it may wait for the next. */
  byte[] code(byte[] piece, boolean last) throws IOException;

  /** A frame for each piece. */
  static PieceCoder copies() {
    return (piece, last) -> piece.length == 0 ? piece : Zstd.compress(piece, LEVEL);
  }

  /**
   * A stream, whose context is freed when it is closed behind the last piece, or by its finalizer.
   */
  static PieceCoder stream() throws IOException {
    ByteArrayOutputStream coded = new ByteArrayOutputStream();
    ZstdOutputStream stream = new ZstdOutputStream(coded, LEVEL);
    return (piece, last) -> {
      stream.write(piece);
      if (last) {
        stream.close();
      } else {
        stream.flush();
      }
      byte[] bytes = coded.toByteArray();
      coded.reset();
      return bytes;
    };
  }
}
