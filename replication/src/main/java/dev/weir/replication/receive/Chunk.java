package dev.weir.replication.receive;

/**
 * A chunk that has to come.
 *
 * @param number counts the chunks of data in the manifest, from 0
 * @param spaceOffset in the container's byte space
 * @param fileOffset in its file
 */
public record Chunk(
    ChunkTarget file, long number, long spaceOffset, long fileOffset, int bytes, int crc) {
  /** Where the next one begins. */
  public long spaceEnd() {
    return spaceOffset + bytes;
  }
}
