package dev.weir.server.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/** The operating system's file system. */
public final class LocalDisk implements Disk {
  @Override
  public DiskFile create(Path file) throws IOException {
    return new ChannelFile(
        FileChannel.open(
            file,
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE));
  }

  @Override
  public DiskFile open(Path file) throws IOException {
    return new ChannelFile(
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE));
  }

  @Override
  public DiskFile openForReading(Path file) throws IOException {
    return new ChannelFile(FileChannel.open(file, StandardOpenOption.READ));
  }

  @Override
  public void move(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  @Override
  public void delete(Path file) throws IOException {
    Files.deleteIfExists(file);
  }

  @Override
  public void syncDirectory(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  @Override
  public List<Path> list(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.toList();
    }
  }

  @Override
  public void makeDirectories(Path directory) throws IOException {
    Files.createDirectories(directory);
  }

  private record ChannelFile(FileChannel channel) implements DiskFile {
    @Override
    public void write(ByteBuffer source, long positionBytes) throws IOException {
      long position = positionBytes;
      while (source.hasRemaining()) {
        position += channel.write(source, position);
      }
    }

    @Override
    public int read(ByteBuffer target, long positionBytes) throws IOException {
      return channel.read(target, positionBytes);
    }

    @Override
    public void sync() throws IOException {
      // fdatasync: it covers the length, which is the only metadata that the store needs.
      channel.force(false);
    }

    @Override
    public void truncate(long sizeBytes) throws IOException {
      channel.truncate(sizeBytes);
    }

    @Override
    public long sizeBytes() throws IOException {
      return channel.size();
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }
}
