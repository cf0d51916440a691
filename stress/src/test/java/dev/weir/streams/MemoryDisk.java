package dev.weir.streams;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Files in memory, small ones: a position beyond 1 MiB is no room. For one thread. */
final class MemoryDisk implements Disk {
  private static final int MAX_BYTES = 1 << 20;

  private final Map<Path, Contents> files = new TreeMap<>();

  void put(Path file, byte[] bytes) {
    files.put(file, new Contents(bytes));
  }

  byte[] get(Path file) throws IOException {
    return existing(file).bytes;
  }

  @Override
  public DiskFile create(Path file) {
    Contents contents = new Contents(new byte[0]);
    files.put(file, contents);
    return contents;
  }

  @Override
  public DiskFile open(Path file) throws IOException {
    return existing(file);
  }

  @Override
  public DiskFile openForReading(Path file) throws IOException {
    return existing(file);
  }

  /** Readers read it instead. */
  @Override
  public FileChannel openForTransfer(Path file) throws IOException {
    throw new NoSuchFileException(file.toString());
  }

  private Contents existing(Path file) throws IOException {
    Contents contents = files.get(file);
    if (contents == null) {
      throw new NoSuchFileException(file.toString());
    }
    return contents;
  }

  @Override
  public void move(Path from, Path to) throws IOException {
    files.put(to, existing(from));
    files.remove(from);
  }

  @Override
  public void delete(Path file) {
    files.remove(file);
  }

  @Override
  public void syncDirectory(Path directory) {}

  @Override
  public List<Path> list(Path directory) {
    return files.keySet().stream().filter(file -> directory.equals(file.getParent())).toList();
  }

  @Override
  public void makeDirectories(Path directory) {}

  private static final class Contents implements DiskFile {
    byte[] bytes;

    Contents(byte[] bytes) {
      this.bytes = bytes;
    }

    @Override
    public void write(ByteBuffer source, long positionBytes) throws IOException {
      if (positionBytes < 0) {
        throw new IllegalArgumentException("negative position");
      }
      if (positionBytes > MAX_BYTES - source.remaining()) {
        throw new IOException("No space left on device");
      }
      int end = (int) positionBytes + source.remaining();
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length, end));
      source.get(bytes, (int) positionBytes, source.remaining());
    }

    @Override
    public int read(ByteBuffer target, long positionBytes) {
      if (positionBytes >= bytes.length) {
        return -1;
      }
      int count = (int) Math.min(target.remaining(), bytes.length - positionBytes);
      target.put(bytes, (int) positionBytes, count);
      return count;
    }

    @Override
    public void sync() {}

    @Override
    public void truncate(long sizeBytes) {
      if (sizeBytes < 0) {
        throw new IllegalArgumentException("negative size");
      }
      bytes = Arrays.copyOf(bytes, (int) Math.min(bytes.length, sizeBytes));
    }

    @Override
    public long sizeBytes() {
      return bytes.length;
    }

    @Override
    public void close() {}
  }
}
