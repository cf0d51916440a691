package dev.weir.streams;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/** The operating system's file system. */
public final class LocalDisk implements Disk {
  /** The disk of this machine. */
  public LocalDisk() {}

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
    return new ChannelFile(openForTransfer(file));
  }

  @Override
  public FileChannel openForTransfer(Path file) throws IOException {
    return FileChannel.open(file, StandardOpenOption.READ);
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
}
