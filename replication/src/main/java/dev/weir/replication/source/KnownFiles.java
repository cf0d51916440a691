package dev.weir.replication.source;

import dev.weir.replication.manifest.Entry;
import dev.weir.replication.manifest.ManifestReader;
import dev.weir.replication.manifest.PathOrder;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The files of an earlier manifest, in its order, beside a walk in the same order: so the checksums
 * of those that have not changed are found without a table. For one thread.
 */
final class KnownFiles implements Closeable {
  private final ManifestReader manifest;
  private final DataInputStream stamps;
  private @Nullable Entry entry;
  private @Nullable FileStamp stamp;
  private boolean ended;

  private KnownFiles(ManifestReader manifest, DataInputStream stamps) {
    this.manifest = manifest;
    this.stamps = stamps;
  }

  /** Opens what an earlier build has written, or returns null if it is not there or damaged. */
  static @Nullable KnownFiles open(Path manifest, Path stamps) {
    try {
      ManifestReader reader = ManifestReader.open(manifest);
      try {
        return new KnownFiles(
            reader, new DataInputStream(new BufferedInputStream(Files.newInputStream(stamps))));
      } catch (IOException e) {
        reader.close();
        return null;
      }
    } catch (IOException notThere) {
      return null;
    }
  }

  /**
   * The manifest at the runs of a file with this path and stamp; null if it has none. Paths must
   * come in order.
   */
  @Nullable ManifestReader find(String path, FileStamp wanted) throws IOException {
    while (!ended && (entry == null || PathOrder.comparePaths(entry.path(), path) < 0)) {
      entry = manifest.next();
      ended = entry == null;
      if (entry != null && !entry.isDirectory()) {
        stamp = FileStamp.readFrom(stamps);
      }
    }
    return entry != null
            && entry.path().equals(path)
            && !entry.isDirectory()
            && wanted.equals(stamp)
        ? manifest
        : null;
  }

  @Override
  public void close() throws IOException {
    manifest.close();
    stamps.close();
  }
}
