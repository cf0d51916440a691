package dev.weir.cache.seq;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The chunks of an allocator by number; the lowest free number goes first. */
final class ChunkTable {
  private @Nullable SeqChunk[] chunks = new SeqChunk[16];
  private int count;

  /** Behind the highest number in use. */
  private int end;

  private int lowestFree;

  int count() {
    return count;
  }

  int end() {
    return end;
  }

  @Nullable SeqChunk get(int number) {
    return number >= 0 && number < end ? chunks[number] : null;
  }

  /** The number that the next chunk gets; there is a place for it then. */
  int nextNumber() {
    if (lowestFree == chunks.length) {
      chunks = Arrays.copyOf(chunks, chunks.length * 2);
    }
    return lowestFree;
  }

  void add(SeqChunk chunk) {
    chunks[chunk.number] = chunk;
    count++;
    end = Math.max(end, chunk.number + 1);
    while (lowestFree < end && chunks[lowestFree] != null) {
      lowestFree++;
    }
  }

  void remove(SeqChunk chunk) {
    chunks[chunk.number] = null;
    count--;
    lowestFree = Math.min(lowestFree, chunk.number);
    while (end > 0 && chunks[end - 1] == null) {
      end--;
    }
  }
}
