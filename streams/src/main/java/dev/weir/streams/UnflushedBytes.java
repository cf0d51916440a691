package dev.weir.streams;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Where the bytes of each stream lie that are in no segment yet: a piece for each append. Any
 * thread may look; a piece stays until the commit that has its bytes was applied.
 */
final class UnflushedBytes {
  private final Map<Long, Pieces> streams = new ConcurrentHashMap<>();

  /** Bytes of one append: from an offset of the stream to another. */
  record Piece(long startOffset, long endOffset, BytesPlace place) {}

  /** Adds an append's bytes, at least one, behind the others of the stream. */
  void add(long streamId, long offset, long bytes, BytesPlace place) {
    // Within the map's lock: a flush may just be taking the stream's last pieces away.
    Pieces _ =
        streams.compute(
            streamId,
            (id, known) -> {
              Pieces pieces = known == null ? new Pieces() : known;
              pieces.add(offset, bytes, place);
              return pieces;
            });
  }

  /** The piece that has a byte; null where none does. */
  @Nullable Piece find(long streamId, long offset) {
    Pieces pieces = streams.get(streamId);
    return pieces == null ? null : pieces.find(offset);
  }

  /** Those of a stream that lie in spool files, in order. */
  List<Piece> spooled(long streamId) {
    Pieces pieces = streams.get(streamId);
    return pieces == null ? List.of() : pieces.spooled();
  }

  /** Forgets the pieces of a stream before an offset: segments have them. */
  void flushed(long streamId, long endOffset) {
    streams.computeIfPresent(
        streamId, (id, pieces) -> pieces.dropBefore(endOffset) ? pieces : null);
  }

  /** Forgets a stream, which is gone. */
  void remove(long streamId) {
    streams.remove(streamId);
  }

  /**
   * Three words a piece, in order: its offset, its file, its position there. Files of the WAL have
   * their number, spool files its complement. Pieces follow each other without a gap.
   */
  private static final class Pieces {
    private static final int WORDS = 3;

    private long[] words = new long[WORDS];
    private int first;
    private int end;
    private long endOffset;

    synchronized void add(long offset, long bytes, BytesPlace place) {
      if (end == words.length) {
        int used = end - first;
        words = Arrays.copyOfRange(words, first, first + used + Math.max(WORDS * 2, used));
        first = 0;
        end = used;
      }
      words[end] = offset;
      words[end + 1] = place.inSpool() ? ~place.file() : place.file();
      words[end + 2] = place.position();
      end += WORDS;
      endOffset = offset + bytes;
    }

    synchronized @Nullable Piece find(long offset) {
      if (first == end || offset < words[first] || offset >= endOffset) {
        return null;
      }
      int low = first / WORDS;
      int high = end / WORDS - 1;
      while (low < high) {
        int middle = (low + high + 1) >>> 1;
        if (words[middle * WORDS] <= offset) {
          low = middle;
        } else {
          high = middle - 1;
        }
      }
      return piece(low * WORDS);
    }

    private Piece piece(int at) {
      long file = words[at + 1];
      return new Piece(
          words[at],
          endOf(at),
          new BytesPlace(/* inSpool= */ file < 0, file < 0 ? ~file : file, words[at + 2]));
    }

    synchronized List<Piece> spooled() {
      List<Piece> found = new ArrayList<>();
      for (int at = first; at < end; at += WORDS) {
        if (words[at + 1] < 0) {
          found.add(piece(at));
        }
      }
      return found;
    }

    /** Whether some are left. */
    synchronized boolean dropBefore(long offset) {
      while (first < end && endOf(first) <= offset) {
        first += WORDS;
      }
      return first < end;
    }

    private long endOf(int at) {
      return at + WORDS < end ? words[at + WORDS] : endOffset;
    }
  }
}
