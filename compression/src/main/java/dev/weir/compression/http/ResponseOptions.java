package dev.weir.compression.http;

import java.util.function.Predicate;

/**
 * Which responses are compressed, and into what.
 *
 * @param minBytes shorter contents are not, where their length is known: they fit into a packet
 * @param chunkBytes the most that one buffer of output holds
 * @param compressible says by the value of {@code Content-Type} which contents are worth it
 */
public record ResponseOptions(int minBytes, int chunkBytes, Predicate<String> compressible) {
  /** From 1 KiB on, in buffers of at most 64 KiB, by {@link MediaTypes}. */
  public static final ResponseOptions DEFAULT =
      new ResponseOptions(1 << 10, 64 << 10, MediaTypes::isCompressible);

  private static final int MIN_CHUNK_BYTES = 1 << 10;

  /** Checks the numbers. */
  public ResponseOptions {
    if (minBytes < 0) {
      throw new IllegalArgumentException("minBytes: " + minBytes + " (expected: >= 0)");
    }
    if (chunkBytes < MIN_CHUNK_BYTES) {
      throw new IllegalArgumentException(
          "chunkBytes: " + chunkBytes + " (expected: >= " + MIN_CHUNK_BYTES + ')');
    }
  }

  /** The same with another shortest length. */
  public ResponseOptions withMinBytes(int bytes) {
    return new ResponseOptions(bytes, chunkBytes, compressible);
  }

  /** The same with another length of buffers. */
  public ResponseOptions withChunkBytes(int bytes) {
    return new ResponseOptions(minBytes, bytes, compressible);
  }

  /** The same for other types. */
  public ResponseOptions withCompressible(Predicate<String> types) {
    return new ResponseOptions(minBytes, chunkBytes, types);
  }
}
