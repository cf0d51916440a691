package dev.weir.objects.s3;

import dev.weir.streams.objects.ObjectContent;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * An object's content as memory: files are mapped. Ranges of it can be read any number of times, by
 * all threads, until it is closed.
 */
final class ContentBytes implements AutoCloseable {
  /** How much a request's body hands over at once. */
  private static final int PIECE_BYTES = 256 << 10;

  /** Of the files' mappings; null: there is no file. */
  private final @Nullable Arena arena;

  private final List<MemorySegment> segments = new ArrayList<>();
  private final long lengthBytes;

  /**
   * Maps the files.
   *
   * @throws IOException one is missing or too short
   */
  ContentBytes(ObjectContent content) throws IOException {
    boolean hasFiles =
        content.parts().stream().anyMatch(part -> part instanceof ObjectContent.InFile);
    Arena mappings = hasFiles ? Arena.ofShared() : null;
    arena = mappings;
    try {
      for (ObjectContent.Part part : content.parts()) {
        if (part.lengthBytes() > 0) {
          segments.add(
              switch (part) {
                case ObjectContent.InMemory memory -> memory.bytes();
                case ObjectContent.InFile file -> map(file, Objects.requireNonNull(mappings));
              });
        }
      }
    } catch (Throwable e) {
      close();
      throw e;
    }
    lengthBytes = content.lengthBytes();
  }

  private static MemorySegment map(ObjectContent.InFile part, Arena mappings) throws IOException {
    try (FileChannel file = FileChannel.open(part.file(), StandardOpenOption.READ)) {
      if (file.size() < part.offset() + part.lengthBytes()) {
        throw new EOFException(
            "%s ends at %,d, before %,d"
                .formatted(part.file(), file.size(), part.offset() + part.lengthBytes()));
      }
      return file.map(FileChannel.MapMode.READ_ONLY, part.offset(), part.lengthBytes(), mappings);
    }
  }

  long lengthBytes() {
    return lengthBytes;
  }

  /** The CRC32C of a range. */
  int crc32c(long offset, long length) {
    CRC32C crc = new CRC32C();
    pieces(offset, length).forEach(crc::update);
    return (int) crc.getValue();
  }

  /** Views of a range, in order. */
  List<ByteBuffer> pieces(long offset, long length) {
    List<ByteBuffer> pieces = new ArrayList<>();
    long begin = 0;
    for (MemorySegment segment : segments) {
      long end = begin + segment.byteSize();
      long at = Math.max(begin, offset);
      long last = Math.min(end, offset + length);
      while (at < last) {
        long size = Math.min(PIECE_BYTES, last - at);
        pieces.add(segment.asSlice(at - begin, size).asByteBuffer());
        at += size;
      }
      begin = end;
    }
    return pieces;
  }

  /** Unmaps the files. */
  @Override
  public void close() {
    if (arena != null) {
      arena.close();
    }
  }
}
