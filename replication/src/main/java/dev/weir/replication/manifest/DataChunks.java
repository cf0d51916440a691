package dev.weir.replication.manifest;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The chunks of data of a manifest that has been checked before, one by one, from a place on. For
 * one thread.
 */
public final class DataChunks implements Closeable {
  /**
   * A chunk.
   *
   * @param number counts the chunks of data in the manifest, from 0
   * @param spaceOffset in the container's byte space
   * @param fileOffset in its file
   */
  public record DataChunk(
      Entry entry, long number, long spaceOffset, long fileOffset, int bytes, int crc) {
    /** Where the next one begins. */
    public long spaceEnd() {
      return spaceOffset + bytes;
    }
  }

  private final ManifestReader reader;
  private @Nullable Entry file;
  private @Nullable Run run;
  private int indexInRun;
  private long fileOffset;
  private long number;
  private boolean ended;

  /** Begins at a place. */
  public DataChunks(Path manifest, SparseIndex.Place place) throws IOException {
    this.reader = ManifestReader.at(manifest, place.manifestPosition());
    this.fileOffset = place.offset();
    this.number = place.chunk();
  }

  /** The next one, or null at the end. */
  public @Nullable DataChunk next() throws IOException {
    while (!ended) {
      Entry now = file;
      Run data = run;
      if (now != null && data != null && indexInRun < data.chunks()) {
        long index = data.firstChunk() + indexInRun;
        long offset = index * ManifestLayout.CHUNK_BYTES;
        return new DataChunk(
            now,
            number++,
            fileOffset + offset,
            offset,
            ManifestLayout.chunkBytes(now.size(), index),
            data.crc(indexInRun++));
      }
      goOn(now);
    }
    return null;
  }

  private void goOn(@Nullable Entry now) throws IOException {
    Run next = now == null ? null : reader.nextRun();
    if (next == null) {
      fileOffset += now == null ? 0 : now.size();
      run = null;
      file = reader.next();
      ended = file == null;
      return;
    }
    run = next.isHole() ? null : next;
    indexInRun = 0;
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }
}
