package dev.weir.streams;

import dev.weir.streams.objects.directory.DirectoryReader;
import dev.weir.streams.segments.SegmentFooter;
import dev.weir.streams.segments.SegmentId;
import dev.weir.streams.segments.SegmentReader;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * What a store had flushed at some moment, as a directory that is a store of its own: the owner,
 * all commits and manifests, and the segments that these need. Nothing in it changes until it is
 * closed. Any thread.
 */
public final class StoreSnapshot implements Closeable {
  private final Path root;
  private final Taken taken;
  private final StoreStats stats;
  private final LongSupplier lastCommit;
  private final Runnable onClose;
  private final AtomicBoolean isClosed = new AtomicBoolean();

  /** How it was when the storage thread looked. */
  record Taken(
      long commit, long nanos, long appendedBytes, long unflushedBytes, double unflushedSeconds) {
    static Taken now(long commit, StoreStats stats) {
      return new Taken(
          commit,
          System.nanoTime(),
          stats.appendedBytes(),
          stats.unflushedBytes(),
          stats.unflushedSeconds());
    }
  }

  StoreSnapshot(
      Path root, Taken taken, StoreStats stats, LongSupplier lastCommit, Runnable onClose) {
    this.root = root;
    this.taken = taken;
    this.stats = stats;
    this.lastCommit = lastCommit;
    this.onClose = onClose;
  }

  /** The directory. */
  public Path root() {
    return root;
  }

  /** Its newest commit. */
  public long commit() {
    return taken.commit();
  }

  /** Whether the store has no newer commit. */
  public boolean isCurrent() {
    return lastCommit.getAsLong() <= taken.commit();
  }

  /** When it was taken, as {@link System#nanoTime()} has it. */
  public long takenNanos() {
    return taken.nanos();
  }

  /** Bytes of streams that are acknowledged by now, and not in here. */
  public long missingBytes() {
    return taken.unflushedBytes() + stats.appendedBytes() - taken.appendedBytes();
  }

  /** At most so old is the oldest change that is not in here; 0 without any. */
  public double missingSeconds() {
    double age = (System.nanoTime() - taken.nanos()) / 1e9;
    if (taken.unflushedSeconds() > 0) {
      return taken.unflushedSeconds() + age;
    }
    return missingBytes() > 0 || stats.unflushedSeconds() > 0 ? age : 0;
  }

  /**
   * CRC32C of a file's first chunks, from the checksums that are stored with a segment's strides:
   * no data is read. Those of a segment's last bytes, and of other files, are not known.
   *
   * @param chunkBytes a multiple of 64 KiB
   * @throws IOException where a segment's footer cannot be read, or is damaged
   */
  public int[] checksums(String key, int chunkBytes) throws IOException {
    Optional<SegmentId> id = SegmentId.parse(key);
    if (id.isEmpty()) {
      return new int[0];
    }
    try (DirectoryReader objects = DirectoryReader.open(root)) {
      SegmentFooter footer = SegmentReader.readFooter(objects, id.get());
      return footer.checksumsOf(chunkBytes);
    }
  }

  /** Removes it: what nobody else needs is gone from the disk. */
  @Override
  public void close() throws IOException {
    if (isClosed.compareAndSet(false, true)) {
      onClose.run();
      LinkedFolder.delete(root);
    }
  }
}
