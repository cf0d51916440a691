package dev.weir.cache.seq;

import java.util.HashMap;
import java.util.Map;

/**
 * For comparison, the way that is published for AutoMQ's ByteBufSeqAlloc, as arithmetic: chunks of
 * 4 MiB, filled one after another; a record that does not fit into the rest begins the next one; a
 * chunk is held until its last record is released.
 */
final class FixedChunks {
  private static final long CHUNK_BYTES = 4 << 20;

  private final Map<Integer, Integer> records = new HashMap<>();
  private final Map<Integer, Long> sizes = new HashMap<>();
  private int current = -1;
  private long end = CHUNK_BYTES;
  private long heldBytes;
  private int numbers;

  /** Tells the chunk of a record. */
  int allocate(int bytes) {
    if (bytes > CHUNK_BYTES) {
      return open(bytes);
    }
    if (end + bytes > CHUNK_BYTES) {
      int full = current;
      current = open(CHUNK_BYTES);
      end = 0;
      if (full >= 0) {
        free(full);
      }
      records.put(current, 1); // The chunk that is filled is held for that alone, too.
    }
    end += bytes;
    records.merge(current, 1, Integer::sum);
    return current;
  }

  private int open(long bytes) {
    int chunk = numbers++;
    records.put(chunk, 1);
    sizes.put(chunk, bytes);
    heldBytes += bytes;
    return chunk;
  }

  void free(int chunk) {
    if (records.merge(chunk, -1, Integer::sum) == 0) {
      records.remove(chunk);
      heldBytes -= sizes.remove(chunk);
    }
  }

  long heldBytes() {
    return heldBytes;
  }
}
