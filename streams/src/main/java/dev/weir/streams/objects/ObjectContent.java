package dev.weir.streams.objects;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;

/** The bytes of an object, as parts in order; can be read again for another attempt. */
public record ObjectContent(List<Part> parts) {
  /** Takes a copy of the list. */
  public ObjectContent {
    parts = List.copyOf(parts);
  }

  /** A stretch of bytes, which stays as it is until the request has ended. */
  public sealed interface Part {
    /** Its length in bytes. */
    long lengthBytes();
  }

  /** In memory. */
  public record InMemory(MemorySegment bytes) implements Part {
    @Override
    public long lengthBytes() {
      return bytes.byteSize();
    }
  }

  /** In a file. */
  public record InFile(Path file, long offset, long lengthBytes) implements Part {}

  /** One part in memory. */
  public static ObjectContent of(MemorySegment bytes) {
    return new ObjectContent(List.of(new InMemory(bytes)));
  }

  /** The length of the object. */
  public long lengthBytes() {
    long sum = 0;
    for (Part part : parts) {
      sum += part.lengthBytes();
    }
    return sum;
  }
}
