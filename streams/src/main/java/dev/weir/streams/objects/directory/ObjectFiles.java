package dev.weir.streams.objects.directory;

import dev.weir.streams.objects.ObjectContent;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The calls to the file system that a write makes. Tests replace it to make disks full or broken.
 */
class ObjectFiles {
  /** How much goes in one call, so that a cancelled request ends soon. */
  private static final int PIECE_BYTES = 1 << 20;

  /** The same from the Java heap: the JDK keeps a direct buffer as large for each thread. */
  private static final int HEAP_PIECE_BYTES = 64 << 10;

  /** Parts up to this size go together, so many in one call. */
  private static final int GATHERED_BYTES = 16 << 10;

  private static final int GATHERED_PARTS = 256;

  /** Writes all of a content. The channel's position is its end afterwards. */
  void write(FileChannel to, ObjectContent content, FileRequest<?> request) throws IOException {
    List<ByteBuffer> small = new ArrayList<>();
    for (ObjectContent.Part part : content.parts()) {
      if (part instanceof ObjectContent.InMemory memory
          && memory.bytes().isNative()
          && memory.lengthBytes() <= GATHERED_BYTES) {
        small.add(memory.bytes().asByteBuffer());
        if (small.size() == GATHERED_PARTS) {
          gather(to, small, request);
        }
        continue;
      }
      gather(to, small, request);
      switch (part) {
        case ObjectContent.InMemory memory -> write(to, memory.bytes(), request);
        case ObjectContent.InFile file -> copy(to, file, request);
      }
    }
    gather(to, small, request);
  }

  /** Writes small parts in one call, since a segment may be made of a million records. */
  private static void gather(FileChannel to, List<ByteBuffer> parts, FileRequest<?> request)
      throws IOException {
    if (parts.isEmpty()) {
      return;
    }
    request.checkCancelled();
    ByteBuffer[] buffers = parts.toArray(ByteBuffer[]::new);
    parts.clear();
    int first = 0;
    while (first < buffers.length) {
      to.write(buffers, first, buffers.length - first);
      while (first < buffers.length && !buffers[first].hasRemaining()) {
        first++;
      }
    }
  }

  private static void write(FileChannel to, MemorySegment bytes, FileRequest<?> request)
      throws IOException {
    int most = bytes.isNative() ? PIECE_BYTES : HEAP_PIECE_BYTES;
    for (long at = 0; at < bytes.byteSize(); at += most) {
      request.checkCancelled();
      ByteBuffer piece = bytes.asSlice(at, Math.min(most, bytes.byteSize() - at)).asByteBuffer();
      while (piece.hasRemaining()) {
        to.write(piece);
      }
    }
  }

  private static void copy(FileChannel to, ObjectContent.InFile part, FileRequest<?> request)
      throws IOException {
    try (FileChannel from = FileChannel.open(part.file(), StandardOpenOption.READ)) {
      long done = 0;
      while (done < part.lengthBytes()) {
        request.checkCancelled();
        long piece = Math.min(PIECE_BYTES, part.lengthBytes() - done);
        long copied = from.transferTo(part.offset() + done, piece, to);
        if (copied <= 0) {
          throw new EOFException(part.file() + " ends at " + (part.offset() + done));
        }
        done += copied;
      }
    }
  }

  /** Reads until the target is full, or the file ends: how many bytes were read. */
  static long read(FileChannel from, long offset, MemorySegment target, FileRequest<?> request)
      throws IOException {
    int most = target.isNative() ? PIECE_BYTES : HEAP_PIECE_BYTES;
    long done = 0;
    while (done < target.byteSize()) {
      request.checkCancelled();
      ByteBuffer piece =
          target.asSlice(done, Math.min(most, target.byteSize() - done)).asByteBuffer();
      int read = from.read(piece, offset + done);
      if (read < 0) {
        break;
      }
      done += read;
    }
    return done;
  }

  /** Makes bytes, length and time of a file durable. */
  void sync(FileChannel file) throws IOException {
    file.force(true);
  }

  void link(Path name, Path file) throws IOException {
    Files.createLink(name, file);
  }

  void replace(Path name, Path file) throws IOException {
    Files.move(file, name, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  void delete(Path name) throws IOException {
    Files.deleteIfExists(name);
  }

  /** Makes the names in a directory durable. */
  void syncDirectory(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /** Creates a directory and its parents where missing, each with a durable name. */
  void makeDirectories(Path directory) throws IOException {
    if (Files.isDirectory(directory)) {
      return;
    }
    Path parent = directory.getParent();
    if (parent != null) {
      makeDirectories(parent);
    }
    Files.createDirectories(directory);
    if (parent != null) {
      syncDirectory(parent);
    }
  }

  static void setStamp(Path file, long micros) throws IOException {
    Files.setLastModifiedTime(file, FileTime.from(micros, TimeUnit.MICROSECONDS));
  }
}
