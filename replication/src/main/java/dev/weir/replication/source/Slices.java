package dev.weir.replication.source;

import dev.weir.replication.manifest.Entry;
import dev.weir.replication.manifest.ManifestReader;
import dev.weir.replication.tree.SafeTree;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The parts of files that make up a range of a container's byte space, opened one after the other.
 * For one thread.
 */
public final class Slices implements Closeable {
  private static final Set<StandardOpenOption> READ = Set.of(StandardOpenOption.READ);

  /**
   * A part of an open file.
   *
   * @param file the caller closes it
   */
  public record Slice(FileChannel file, String path, long offset, long length) {}

  private final String container;
  private final Snapshot snapshot;
  private final SafeTree tree;
  private final ManifestReader manifest;
  private final DataInputStream stamps;

  /** Where the next file begins, and what is still wanted. */
  private long fileOffset;

  private long offset;
  private long remaining;

  private Slices(
      Snapshot snapshot,
      SafeTree tree,
      ManifestReader manifest,
      DataInputStream stamps,
      long fileOffset,
      long offset,
      long remaining) {
    this.container = snapshot.container();
    this.snapshot = snapshot;
    this.tree = tree;
    this.manifest = manifest;
    this.stamps = stamps;
    this.fileOffset = fileOffset;
    this.offset = offset;
    this.remaining = remaining;
  }

  static Slices open(Snapshot snapshot, long offset, long length) throws IOException {
    SparseIndex.Place place = snapshot.index().before(offset);
    SafeTree tree = new SafeTree(snapshot.tree().root());
    try {
      ManifestReader manifest = ManifestReader.at(snapshot.manifest(), place.manifestPosition());
      try {
        InputStream stamps = Files.newInputStream(snapshot.stamps());
        stamps.skipNBytes(place.file() * FileStamp.BYTES);
        return new Slices(
            snapshot, tree, manifest, new DataInputStream(stamps), place.offset(), offset, length);
      } catch (IOException e) {
        manifest.close();
        throw e;
      }
    } catch (IOException e) {
      tree.close();
      throw e;
    }
  }

  /**
   * Opens the next part, or returns null when the range is over.
   *
   * @throws SourceException when the file is not what the manifest says of it
   */
  public @Nullable Slice next() throws IOException {
    while (remaining > 0) {
      Entry entry = manifest.next();
      if (entry == null) {
        throw new IOException("the range lies beyond the container '" + container + "'");
      }
      if (entry.isDirectory()) {
        continue;
      }
      FileStamp stamp = FileStamp.readFrom(stamps);
      long within = offset - fileOffset;
      fileOffset += entry.size();
      if (within < entry.size()) {
        long length = Math.min(remaining, entry.size() - within);
        offset += length;
        remaining -= length;
        return new Slice(openAs(entry.path(), stamp), entry.path(), within, length);
      }
    }
    return null;
  }

  private FileChannel openAs(String path, FileStamp stamp) throws IOException {
    snapshot.use();
    try {
      FileChannel file = tree.open(path, READ);
      Origin.Tree of = snapshot.tree();
      FileStamp now = FileStamp.read(of.root().resolve(path)).stamp().in(of);
      if (file.size() == stamp.size() && now.equals(stamp)) {
        return file;
      }
      file.close();
      throw SourceException.changed(container, path);
    } catch (NoSuchFileException e) {
      throw SourceException.changed(container, path);
    }
  }

  @Override
  public void close() throws IOException {
    tree.close();
    manifest.close();
    stamps.close();
  }
}
