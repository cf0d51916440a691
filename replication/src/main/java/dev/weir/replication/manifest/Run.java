package dev.weir.replication.manifest;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Consecutive chunks of a file: all of them data with their checksums, or all of them a hole. */
public final class Run {
  private final long firstChunk;
  private final long chunks;
  private final int @Nullable [] crcs;

  private Run(long firstChunk, long chunks, int @Nullable [] crcs) {
    this.firstChunk = firstChunk;
    this.chunks = chunks;
    this.crcs = crcs;
  }

  static Run data(long firstChunk, int[] crcs) {
    return new Run(firstChunk, crcs.length, crcs);
  }

  static Run hole(long firstChunk, long chunks) {
    return new Run(firstChunk, chunks, null);
  }

  /** The number of its first chunk in the file. */
  public long firstChunk() {
    return firstChunk;
  }

  /** How many there are. */
  public long chunks() {
    return chunks;
  }

  /** Whether they are zeros. */
  public boolean isHole() {
    return crcs == null;
  }

  /** Its bytes outside holes, in a file of this size. */
  public long dataBytes(long size) {
    long start = firstChunk * ManifestLayout.CHUNK_BYTES;
    return isHole() ? 0 : Math.min(size - start, chunks * ManifestLayout.CHUNK_BYTES);
  }

  /** Whether it is the same chunks with the same content. */
  public boolean isSameAs(Run other) {
    return firstChunk == other.firstChunk
        && chunks == other.chunks
        && Arrays.equals(crcs, other.crcs);
  }

  /** The CRC32C of a chunk of data, counted from the first. */
  public int crc(int index) {
    if (crcs == null) {
      throw new IllegalStateException("a hole has no checksums");
    }
    return crcs[index];
  }
}
