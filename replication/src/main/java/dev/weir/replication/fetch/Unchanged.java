package dev.weir.replication.fetch;

import dev.weir.replication.manifest.Entry;
import dev.weir.replication.manifest.ManifestReader;
import dev.weir.replication.manifest.PathOrder;
import dev.weir.replication.manifest.Run;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The files of a manifest that an earlier one has under the same path, with the same mode, size and
 * checksums. A bit for each file.
 */
final class Unchanged {
  static final Unchanged NONE = new Unchanged(null, new BitSet(), 0);

  private final @Nullable Path tree;
  private final BitSet files;
  private final long dataBytes;

  private Unchanged(@Nullable Path tree, BitSet files, long dataBytes) {
    this.tree = tree;
    this.files = files;
    this.dataBytes = dataBytes;
  }

  /** Goes through both manifests once. */
  static Unchanged between(Earlier earlier, Path manifest) throws IOException {
    BitSet files = new BitSet();
    long dataBytes = 0;
    int number = 0;
    try (ManifestReader older = ManifestReader.open(earlier.manifest());
        ManifestReader newer = ManifestReader.open(manifest)) {
      Entry known = older.next();
      for (Entry entry = newer.next(); entry != null; entry = newer.next()) {
        while (known != null && PathOrder.comparePaths(known.path(), entry.path()) < 0) {
          known = older.next();
        }
        if (entry.isDirectory()) {
          continue;
        }
        if (entry.equals(known)) {
          long same = sameBytes(entry, older, newer);
          if (same >= 0) {
            files.set(number);
            dataBytes += same;
          }
        }
        number++;
      }
    }
    return new Unchanged(earlier.tree(), files, dataBytes);
  }

  /** The bytes outside holes, where the runs of both are the same; else -1. */
  private static long sameBytes(Entry entry, ManifestReader older, ManifestReader newer)
      throws IOException {
    long bytes = 0;
    for (Run run = newer.nextRun(); run != null; run = newer.nextRun()) {
      Run before = older.nextRun();
      if (before == null || !before.isSameAs(run)) {
        return -1;
      }
      bytes += run.dataBytes(entry.size());
    }
    return bytes;
  }

  boolean contains(int file) {
    return files.get(file);
  }

  /** Where the earlier tree has a file. */
  Path file(Entry entry) {
    return Objects.requireNonNull(tree).resolve(entry.path());
  }

  /** What they hold outside holes. */
  long dataBytes() {
    return dataBytes;
  }
}
