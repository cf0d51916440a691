package dev.weir.lab.grpc;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.zip.CRC32C;

/** The open files of a container, each opened when it is first used. Any thread. */
final class ContainerFiles implements AutoCloseable {
  private static final int BUFFER_BYTES = 64 << 10;

  private final Layout layout;
  private final Path folder;
  private final StandardOpenOption[] options;
  private final AtomicReferenceArray<FileChannel> channels;

  private ContainerFiles(Layout layout, Path folder, StandardOpenOption... options) {
    this.layout = layout;
    this.folder = folder;
    this.options = options;
    this.channels = new AtomicReferenceArray<>(layout.files());
  }

  static ContainerFiles toRead(Layout layout, Path folder) {
    return new ContainerFiles(layout, folder, StandardOpenOption.READ);
  }

  static ContainerFiles toWrite(Layout layout, Path folder) {
    return new ContainerFiles(layout, folder, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
  }

  Layout layout() {
    return layout;
  }

  /** The file of a piece. */
  FileChannel of(int piece) throws IOException {
    int index = layout.file(piece);
    FileChannel open = channels.get(index);
    if (open != null) {
      return open;
    }
    FileChannel fresh = FileChannel.open(folder.resolve(Integer.toString(index)), options);
    if (channels.compareAndSet(index, null, fresh)) {
      return fresh;
    }
    fresh.close();
    return channels.get(index);
  }

  /** The CRC32C of each piece. */
  int[] checksums() throws IOException {
    int[] sums = new int[layout.pieces()];
    ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
    for (int piece = 0; piece < sums.length; piece++) {
      CRC32C sum = new CRC32C();
      long position = layout.offset(piece);
      long end = position + layout.length(piece);
      while (position < end) {
        buffer.clear().limit((int) Math.min(BUFFER_BYTES, end - position));
        int count = of(piece).read(buffer, position);
        if (count < 0) {
          throw new IOException(folder + " has a file that is too short");
        }
        sum.update(buffer.flip());
        position += count;
      }
      sums[piece] = (int) sum.getValue();
    }
    return sums;
  }

  /** Brings what was written to the disk. */
  void force() throws IOException {
    for (int i = 0; i < channels.length(); i++) {
      FileChannel open = channels.get(i);
      if (open != null) {
        open.force(true);
      }
    }
  }

  @Override
  public void close() throws IOException {
    for (int i = 0; i < channels.length(); i++) {
      FileChannel open = channels.getAndSet(i, null);
      if (open != null) {
        open.close();
      }
    }
  }
}
