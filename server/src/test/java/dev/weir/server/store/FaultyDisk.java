package dev.weir.server.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/** The file system with a limit to what may be written, and syncs that fail on demand. */
public final class FaultyDisk implements Disk {
  private final Disk disk = new LocalDisk();
  private long roomBytes = Long.MAX_VALUE;
  private boolean syncsFail;

  public synchronized void room(long bytes) {
    roomBytes = bytes;
  }

  synchronized void failSyncs() {
    syncsFail = true;
  }

  private synchronized int take(int wanted) {
    int granted = (int) Math.min(wanted, roomBytes);
    roomBytes -= granted;
    return granted;
  }

  private synchronized boolean syncsFail() {
    return syncsFail;
  }

  @Override
  public DiskFile create(Path file) throws IOException {
    return new FaultyFile(disk.create(file));
  }

  @Override
  public DiskFile open(Path file) throws IOException {
    return new FaultyFile(disk.open(file));
  }

  @Override
  public DiskFile openForReading(Path file) throws IOException {
    return disk.openForReading(file);
  }

  @Override
  public void move(Path from, Path to) throws IOException {
    disk.move(from, to);
  }

  @Override
  public void delete(Path file) throws IOException {
    disk.delete(file);
  }

  @Override
  public void syncDirectory(Path directory) throws IOException {
    disk.syncDirectory(directory);
  }

  @Override
  public List<Path> list(Path directory) throws IOException {
    return disk.list(directory);
  }

  @Override
  public void makeDirectories(Path directory) throws IOException {
    disk.makeDirectories(directory);
  }

  private final class FaultyFile implements DiskFile {
    private final DiskFile file;

    FaultyFile(DiskFile file) {
      this.file = file;
    }

    @Override
    public void write(ByteBuffer source, long positionBytes) throws IOException {
      int granted = take(source.remaining());
      ByteBuffer part = source.slice(source.position(), granted);
      file.write(part, positionBytes);
      source.position(source.position() + granted);
      if (source.hasRemaining()) {
        throw new IOException("No space left on device");
      }
    }

    @Override
    public int read(ByteBuffer target, long positionBytes) throws IOException {
      return file.read(target, positionBytes);
    }

    @Override
    public void sync() throws IOException {
      if (syncsFail()) {
        throw new IOException("Input/output error");
      }
      file.sync();
    }

    @Override
    public void truncate(long sizeBytes) throws IOException {
      file.truncate(sizeBytes);
    }

    @Override
    public long sizeBytes() throws IOException {
      return file.sizeBytes();
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
