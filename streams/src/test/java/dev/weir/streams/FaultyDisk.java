package dev.weir.streams;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The file system with a limit to what may be written; syncs and reads fail on demand, and power
 * may be lost.
 */
public final class FaultyDisk implements Disk {
  private final Disk disk = new LocalDisk();
  private long roomBytes = Long.MAX_VALUE;
  private boolean syncsFail;
  private boolean readsFail;
  private boolean writesAreDefect;
  private boolean writesWait;
  private int waitingWriters;
  private int truncations;
  private int opensForReading;
  private int openFiles;
  private long callsLeft = Long.MAX_VALUE;
  private boolean fullAtSync;
  private boolean closesFail;
  private Path awaited = Path.of("");
  private boolean isMade;
  private int directorySyncsToFail;
  private final Map<Path, byte[]> leftWithoutPower = new HashMap<>();
  private final Set<Path> forgotten = new HashSet<>();
  private final Set<Path> nameless = new HashSet<>();

  public synchronized void room(long bytes) {
    roomBytes = bytes;
  }

  public synchronized void failSyncs() {
    syncsFail = true;
  }

  /** The next sync finds no room for what was written. */
  synchronized void fillUpAtSync() {
    fullAtSync = true;
  }

  /** What is left of a file if power is lost before its next sync. */
  synchronized void leaves(Path file, byte[] contents) {
    leftWithoutPower.putIfAbsent(file, contents);
  }

  /** As {@link #leaves}, after a sync that failed: no sync helps before the file is written to. */
  synchronized void forgets(Path file, byte[] contents) {
    leaves(file, contents);
    forgotten.add(file);
  }

  /** The file, or directory with all in it, is gone if power is lost before its parent's sync. */
  synchronized void hasNoDurableName(Path file) {
    nameless.add(file);
  }

  /** Files are again as they were before what no sync made durable. */
  synchronized void losePower() throws IOException {
    for (Path lost : nameless) {
      try (Stream<Path> files = Files.walk(lost)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
    for (Map.Entry<Path, byte[]> left : leftWithoutPower.entrySet()) {
      Files.write(left.getKey(), left.getValue());
    }
  }

  private synchronized void checkSync(Path path) throws IOException {
    if (fullAtSync) {
      fullAtSync = false;
      throw new IOException("No space left on device");
    }
    if (syncsFail) {
      throw new IOException("Input/output error");
    }
    if (!forgotten.contains(path)) {
      leftWithoutPower.remove(path);
    }
  }

  /** So many syncs of a file's directory fail once the file has been made. */
  synchronized void failDirectorySyncsAfter(Path made, int times) {
    awaited = made;
    directorySyncsToFail = times;
  }

  private synchronized void noteMade(Path file) {
    isMade |= file.equals(awaited);
  }

  private synchronized void checkDirectorySync(Path directory) throws IOException {
    if (isMade && directorySyncsToFail > 0 && directory.equals(awaited.getParent())) {
      directorySyncsToFail--;
      throw new IOException("Input/output error");
    }
  }

  /** Files are closed, but not without an error. */
  synchronized void failCloses() {
    closesFail = true;
  }

  private synchronized void checkClose() throws IOException {
    openFiles--;
    if (closesFail) {
      throw new IOException("Input/output error");
    }
  }

  public synchronized void failReads() {
    readsFail = true;
  }

  synchronized void makeWritesADefect() {
    writesAreDefect = true;
  }

  /** From here on whoever writes waits for {@link #resumeWrites}. */
  public synchronized void pauseWrites() {
    writesWait = true;
  }

  /** Waits until somebody does. */
  synchronized void awaitWriter() throws InterruptedException {
    while (waitingWriters == 0) {
      wait();
    }
  }

  public synchronized void resumeWrites() {
    writesWait = false;
    notifyAll();
  }

  private synchronized int take(Path path, int wanted) throws InterruptedIOException {
    waitingWriters++;
    notifyAll();
    while (writesWait) {
      try {
        wait();
      } catch (InterruptedException e) {
        throw new InterruptedIOException();
      }
    }
    waitingWriters--;
    if (writesAreDefect) {
      throw new StackOverflowError("made by the test");
    }
    forgotten.remove(path);
    int granted = (int) Math.min(wanted, roomBytes);
    roomBytes -= granted;
    return granted;
  }

  /** After so many calls the next one throws {@link BrokenOff}; closing a file is none. */
  synchronized void breakOffAfter(int calls) {
    callsLeft = calls;
  }

  /** An error that has nothing to do with the disk. */
  static final class BrokenOff extends Error {
    private static final long serialVersionUID = 1L;
  }

  private synchronized void step() {
    if (callsLeft-- == 0) {
      throw new BrokenOff();
    }
  }

  /** How many files are open now. */
  synchronized int openFiles() {
    return openFiles;
  }

  /** How often a file was opened to be read only. */
  public synchronized int opensForReading() {
    return opensForReading;
  }

  /** How often a file was cut. */
  synchronized int truncations() {
    return truncations;
  }

  private synchronized void giveBack(long bytes) {
    truncations++;
    roomBytes += Math.min(bytes, Long.MAX_VALUE - roomBytes);
  }

  private synchronized boolean readsFail() {
    return readsFail;
  }

  @Override
  public DiskFile create(Path file) throws IOException {
    step();
    DiskFile made = disk.create(file);
    noteMade(file);
    return new FaultyFile(file, made);
  }

  @Override
  public DiskFile open(Path file) throws IOException {
    step();
    return new FaultyFile(file, disk.open(file));
  }

  @Override
  public DiskFile openForReading(Path file) throws IOException {
    step();
    synchronized (this) {
      opensForReading++;
    }
    return new FaultyFile(file, disk.openForReading(file));
  }

  @Override
  public FileChannel openForTransfer(Path file) throws IOException {
    step();
    if (readsFail()) {
      throw new IOException("Input/output error");
    }
    return disk.openForTransfer(file);
  }

  @Override
  public void move(Path from, Path to) throws IOException {
    step();
    disk.move(from, to);
  }

  @Override
  public void delete(Path file) throws IOException {
    step();
    disk.delete(file);
  }

  @Override
  public void syncDirectory(Path directory) throws IOException {
    step();
    checkDirectorySync(directory);
    disk.syncDirectory(directory);
    synchronized (this) {
      nameless.removeIf(file -> directory.equals(file.getParent()));
    }
  }

  @Override
  public List<Path> list(Path directory) throws IOException {
    step();
    return disk.list(directory);
  }

  @Override
  public void makeDirectories(Path directory) throws IOException {
    step();
    disk.makeDirectories(directory);
  }

  private final class FaultyFile implements DiskFile {
    private final Path path;
    private final DiskFile file;

    FaultyFile(Path path, DiskFile file) {
      this.path = path;
      this.file = file;
      synchronized (FaultyDisk.this) {
        openFiles++;
      }
    }

    @Override
    public void write(ByteBuffer source, long positionBytes) throws IOException {
      step();
      int granted = take(path, source.remaining());
      ByteBuffer part = source.slice(source.position(), granted);
      file.write(part, positionBytes);
      source.position(source.position() + granted);
      if (source.hasRemaining()) {
        throw new IOException("No space left on device");
      }
    }

    @Override
    public int read(ByteBuffer target, long positionBytes) throws IOException {
      step();
      if (readsFail()) {
        throw new IOException("Input/output error");
      }
      return file.read(target, positionBytes);
    }

    @Override
    public void sync() throws IOException {
      step();
      checkSync(path);
      file.sync();
    }

    @Override
    public void truncate(long sizeBytes) throws IOException {
      step();
      byte[] before = Files.readAllBytes(path);
      leaves(path, before);
      file.truncate(sizeBytes);
      giveBack(before.length - file.sizeBytes());
    }

    @Override
    public long sizeBytes() throws IOException {
      step();
      return file.sizeBytes();
    }

    @Override
    public void close() throws IOException {
      file.close();
      checkClose();
    }
  }
}
