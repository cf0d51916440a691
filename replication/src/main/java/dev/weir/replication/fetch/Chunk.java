package dev.weir.replication.fetch;

/**
 * A chunk that has to come.
 *
 * @param spaceOffset in the container's byte space
 * @param fileOffset in its file
 */
record Chunk(TargetFile file, long spaceOffset, long fileOffset, int bytes, int crc) {
  long spaceEnd() {
    return spaceOffset + bytes;
  }
}
