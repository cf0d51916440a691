package dev.weir.streams;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongPredicate;

/**
 * Makes the journals before {@code sequence} needless: syncs the segments whose bytes they hold,
 * writes all streams as they were when journal {@code sequence} began, and deletes them. Runs in
 * the background, one at a time, while the committer goes on with the new journal.
 *
 * <p>Producers are written as they are now, not as they were: what they are ahead of the snapshot
 * is in the new journal, whose replay sets them to the same values again.
 */
final class Checkpoint implements Runnable {
  private static final System.Logger LOG = System.getLogger(Checkpoint.class.getName());

  private final Disk disk;
  private final StoreLayout layout;
  private final long sequence;
  private final long nextId;
  private final List<Entry> streams;
  private final Set<Long> dirtyFiles;
  private final LongPredicate needed;
  private volatile boolean finished;
  private volatile boolean syncFailed;
  private volatile boolean synced;

  /** A stream as it was when the snapshot was taken. */
  record Entry(StreamState state, Map<String, ProducerState> producers) {}

  /**
   * Of what was there when its journal began.
   *
   * @param dirtyFiles the segments with bytes that only journals make durable
   * @param needed whether a stream has bytes in a segment now; asked on the checkpoint's thread
   */
  Checkpoint(
      Disk disk,
      StoreLayout layout,
      long sequence,
      long nextId,
      List<Entry> streams,
      Set<Long> dirtyFiles,
      LongPredicate needed) {
    this.disk = disk;
    this.layout = layout;
    this.sequence = sequence;
    this.nextId = nextId;
    this.streams = streams;
    this.dirtyFiles = dirtyFiles;
    this.needed = needed;
  }

  static List<Entry> capture(Catalog catalog) {
    return catalog.streams().stream()
        .map(stream -> new Entry(stream.state(), stream.producers()))
        .toList();
  }

  /**
   * False while it runs, and for ever once a sync has failed: the kernel forgets pages that it
   * could not write, a second sync would report success, and the journal has the only copy.
   */
  boolean isFinished() {
    return finished && !syncFailed;
  }

  Set<Long> unsyncedFiles() {
    return synced ? Set.of() : dirtyFiles;
  }

  @Override
  public void run() {
    try {
      syncSegments();
      synced = true;
      Snapshot.write(disk, layout, sequence, nextId, streams);
      deleteOlder();
    } catch (Throwable e) {
      // Nobody else hears of it: the executor keeps what a task throws to itself.
      LOG.log(
          System.Logger.Level.WARNING,
          syncFailed
              ? "a segment could not be synced; journals are kept until the node is restarted"
              : "a checkpoint failed; the journals are kept and the next one tries again",
          e);
    } finally {
      finished = true;
    }
  }

  private void syncSegments() throws IOException {
    Set<Path> directories = new TreeSet<>();
    for (long fileId : dirtyFiles) {
      try (DiskFile file = disk.open(layout.segment(fileId))) {
        file.sync();
        directories.add(layout.shardOf(fileId));
      } catch (NoSuchFileException e) {
        if (needed.test(fileId)) {
          // Somebody else has deleted it: the journals have the only copy, for the next start.
          syncFailed = true;
          throw e;
        }
        LOG.log(System.Logger.Level.DEBUG, "a segment's stream was deleted meanwhile", e);
      } catch (IOException e) {
        syncFailed = true;
        throw e;
      }
    }
    for (Path directory : directories) {
      disk.syncDirectory(directory);
    }
  }

  private void deleteOlder() throws IOException {
    for (Path file : disk.list(layout.journalDirectory())) {
      OptionalLong journal = StoreLayout.journalSequence(file);
      OptionalLong snapshot = StoreLayout.snapshotSequence(file);
      if (journal.orElse(sequence) < sequence || snapshot.orElse(sequence) < sequence) {
        disk.delete(file);
      }
    }
  }
}
