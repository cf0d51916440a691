package dev.weir.streams.flush;

import dev.weir.streams.objects.ObjectContent.InFile;
import dev.weir.streams.objects.ObjectContent.InMemory;
import dev.weir.streams.objects.ObjectContent.Part;
import java.util.ArrayList;
import java.util.List;

/**
 * Which bytes go into which segment; pure. Streams come in the order of their numbers, and a
 * segment ends where it is full, also in the middle of a stream.
 *
 * @param segments each not empty
 */
public record FlushPlan(List<List<Piece>> segments) {
  /** Takes a copy of the list. */
  public FlushPlan {
    segments = List.copyOf(segments);
  }

  /** A stretch of a stream for one segment. */
  public record Piece(long streamId, long startOffset, List<Part> bytes) {
    /** Takes a copy of the list. */
    public Piece {
      bytes = List.copyOf(bytes);
    }
  }

  /** Plans segments of at most {@code maxSegmentBytes} of data. */
  static FlushPlan of(FrozenChanges changes, long maxSegmentBytes) {
    Builder builder = new Builder(maxSegmentBytes);
    for (StreamChange change : changes.changes()) {
      builder.add(change);
    }
    builder.endSegment();
    return new FlushPlan(builder.segments);
  }

  private static final class Builder {
    private final long maxBytes;
    private final List<List<Piece>> segments = new ArrayList<>();
    private List<Piece> segment = new ArrayList<>();
    private long left;

    Builder(long maxBytes) {
      this.maxBytes = maxBytes;
      this.left = maxBytes;
    }

    void add(StreamChange change) {
      long start = change.startOffset();
      long offset = start;
      List<Part> parts = new ArrayList<>();
      for (Part part : change.bytes()) {
        long taken = 0;
        while (taken < part.lengthBytes()) {
          long step = Math.min(left, part.lengthBytes() - taken);
          parts.add(slice(part, taken, step));
          taken += step;
          offset += step;
          left -= step;
          if (left == 0) {
            segment.add(new Piece(change.streamId(), start, parts));
            endSegment();
            parts = new ArrayList<>();
            start = offset;
          }
        }
      }
      if (!parts.isEmpty()) {
        segment.add(new Piece(change.streamId(), start, parts));
      }
    }

    void endSegment() {
      if (!segment.isEmpty()) {
        segments.add(List.copyOf(segment));
      }
      segment = new ArrayList<>();
      left = maxBytes;
    }
  }

  private static Part slice(Part part, long from, long length) {
    if (from == 0 && length == part.lengthBytes()) {
      return part;
    }
    return switch (part) {
      case InMemory memory -> new InMemory(memory.bytes().asSlice(from, length));
      case InFile file -> new InFile(file.file(), file.offset() + from, length);
    };
  }
}
