package dev.weir.streams;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Compares the checksum of every frame in the WAL of a data directory. Changes nothing. One damage
 * does not hide the next: behind it the check goes on with the next {@link SyncMark}. For one
 * thread, which may block.
 */
public final class WalCheck {
  /** How much of a file is searched at once for the next mark. */
  private static final int WINDOW_BYTES = 1 << 20;

  private static final int MARK_BYTES = FrameLayout.HEADER_BYTES + SyncMark.BODY_BYTES;

  private final StoreLayout layout;
  private final LongConsumer progress;
  private final Disk disk = new LocalDisk();
  private final List<Finding> damages = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private int files;
  private long checkedBytes;

  private WalCheck(Path directory, LongConsumer progress) {
    this.layout = new StoreLayout(directory);
    this.progress = progress;
  }

  /**
   * Something that is wrong.
   *
   * @param file below the data directory
   * @param offset the first byte that may be wrong
   * @param reason in one sentence
   */
  public record Finding(String file, long offset, String reason) {}

  /**
   * What was found.
   *
   * @param files how many were looked at
   * @param checkedBytes bytes of whole frames
   * @param notes what is no damage, but worth a line
   */
  public record Report(int files, long checkedBytes, List<Finding> damages, List<String> notes) {
    /** Takes copies of the lists. */
    public Report {
      damages = List.copyOf(damages);
      notes = List.copyOf(notes);
    }
  }

  /** Whether a directory has a WAL. */
  public static boolean isIn(Path directory) {
    return Files.isDirectory(new StoreLayout(directory).journalDirectory());
  }

  /** Bytes that {@link #examine} will go through, by the lengths of the files. */
  public static long totalBytes(Path directory) throws IOException {
    long bytes = 0;
    try (Stream<Path> files = Files.list(new StoreLayout(directory).journalDirectory())) {
      for (Path file : files.toList()) {
        bytes += Files.isRegularFile(file) ? Files.size(file) : 0;
      }
    }
    return bytes;
  }

  /** Whether a node runs on a directory now. */
  public static boolean isInUse(Path directory) throws IOException {
    Path file = new StoreLayout(directory).lock();
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      @Nullable FileLock shared = channel.tryLock(0, Long.MAX_VALUE, /* shared= */ true);
      return shared == null;
    } catch (OverlappingFileLockException ours) {
      return true;
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  /**
   * Examines the WAL of a data directory.
   *
   * @param progress hears how many bytes have been gone through
   * @throws IOException where the directory cannot be read at all
   */
  public static Report examine(Path directory, LongConsumer progress) throws IOException {
    return new WalCheck(directory, progress).examine();
  }

  private Report examine() throws IOException {
    TreeSet<Long> journals = new TreeSet<>();
    for (Path file : disk.list(layout.journalDirectory())) {
      StoreLayout.journalSequence(file).ifPresent(journals::add);
    }
    for (long sequence : journals) {
      Path path = layout.journal(sequence);
      Long before = journals.lower(sequence);
      if (before != null && before != sequence - 1) {
        damage(layout.journal(sequence - 1), 0, "it is missing, but %s exists".formatted(path));
      }
      boolean isLast = sequence == journals.last();
      check(path, file -> checkJournal(path, sequence, isLast, file));
    }
    return new Report(files, checkedBytes, damages, notes);
  }

  private interface Step {
    void look(DiskFile file) throws IOException;
  }

  /** What cannot be read is damage of that file; the others are looked at all the same. */
  private void check(Path path, Step step) {
    try (DiskFile file = disk.openForReading(path)) {
      files++;
      step.look(file);
    } catch (NoSuchFileException e) {
      notes.add(name(path) + " was replaced meanwhile");
    } catch (IOException e) {
      damage(path, 0, "it cannot be read: " + e.getMessage());
    }
  }

  private void checkJournal(Path path, long sequence, boolean isLast, DiskFile file)
      throws IOException {
    FrameReader in = new FrameReader(file, 0);
    ByteBuffer first = in.next();
    if (first == null && isLast && in.sizeBytes() <= Journal.headerBytes()) {
      notes.add(name(path) + " was only begun, and holds nothing");
      return;
    }
    Journal.Header header = first == null ? null : Journal.readHeader(first, sequence);
    if (header == null) {
      damage(path, 0, "its header cannot be read, and so none of its records");
      return;
    }
    for (long end = readFrames(in); end < in.sizeBytes(); ) {
      long next = findMark(file, end + 1, in.sizeBytes(), header.mark());
      long lostBytes = (next < 0 ? in.sizeBytes() : next) - end;
      if (next < 0) {
        if (isLast && lostBytes <= Committer.MAX_UNSYNCED_BYTES) {
          notes.add(
              "%s ends with %,d bytes, from byte %d on, that are no whole records: a crash left them"
                      .formatted(name(path), lostBytes, end)
                  + " before they were acknowledged, or they were damaged; a start cuts them off");
        } else {
          damage(
              path,
              end,
              "the checksum of a record does not hold; nothing of the %,d bytes behind can be read"
                  .formatted(lostBytes));
        }
        return;
      }
      damage(
          path,
          end,
          "the checksum of a record does not hold; the next that can be read is %,d bytes behind"
              .formatted(lostBytes));
      in = new FrameReader(file, next);
      end = readFrames(in);
    }
  }

  /** Goes through whole frames; the end of the last. */
  private long readFrames(FrameReader in) throws IOException {
    long before = in.position();
    for (ByteBuffer body = in.next(); body != null; body = in.next()) {
      checkedBytes += in.position() - before;
      before = in.position();
      progress.accept(checkedBytes);
    }
    return in.position();
  }

  /** Where the next mark is; -1 for nowhere. */
  private static long findMark(DiskFile file, long from, long sizeBytes, SyncMark mark)
      throws IOException {
    for (long start = from; start + MARK_BYTES <= sizeBytes; start += WINDOW_BYTES) {
      int count = (int) Math.min(WINDOW_BYTES + MARK_BYTES - 1, sizeBytes - start);
      ByteBuffer bytes = FrameReader.read(file, start, count);
      for (int index = 0; bytes != null && index <= count - MARK_BYTES; index++) {
        if (mark.isAt(index, bytes, start)) {
          return start + index;
        }
      }
    }
    return -1;
  }

  private void damage(Path path, long offset, String reason) {
    damages.add(new Finding(name(path), offset, reason));
  }

  private String name(Path path) {
    return layout.root().relativize(path).toString();
  }
}
