package dev.weir.streams.flush;

import dev.weir.streams.objects.ObjectContent;
import dev.weir.streams.objects.ObjectContent.InFile;
import dev.weir.streams.objects.ObjectContent.InMemory;
import dev.weir.streams.objects.ObjectContent.Part;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Which bytes go into which segment; pure. Streams come in the order of their numbers, and a
 * segment ends where it is full, also in the middle of a stream.
 *
 * @param segments each not empty
 * @param lost stretches whose bytes are no more; in no segment
 */
record FlushPlan(List<List<Piece>> segments, List<Piece> lost) {
  /** Takes copies of the lists. */
  FlushPlan {
    segments = List.copyOf(segments);
    lost = List.copyOf(lost);
  }

  /**
   * A stretch of a stream for one segment.
   *
   * @param startsAppend whether an append begins with its first byte
   */
  record Piece(StreamChange change, long startOffset, boolean startsAppend, List<Part> bytes) {
    /** Takes a copy of the list. */
    Piece {
      bytes = List.copyOf(bytes);
    }

    long streamId() {
      return change.streamId();
    }

    long lengthBytes() {
      return new ObjectContent(bytes).lengthBytes();
    }
  }

  /**
   * Plans segments of at most {@code maxSegmentBytes} of data.
   *
   * @param isLost whether the bytes of a part are no more
   */
  static FlushPlan of(FrozenChanges changes, long maxSegmentBytes, Predicate<Part> isLost) {
    Builder builder = new Builder(maxSegmentBytes, isLost);
    for (StreamChange change : changes.changes()) {
      builder.add(change);
    }
    builder.endSegment();
    return new FlushPlan(builder.segments, builder.lost);
  }

  private static final class Builder {
    private final long maxBytes;
    private final Predicate<Part> isLost;
    private final List<List<Piece>> segments = new ArrayList<>();
    private final List<Piece> lost = new ArrayList<>();
    private List<Piece> segment = new ArrayList<>();
    private long left;

    Builder(long maxBytes, Predicate<Part> isLost) {
      this.maxBytes = maxBytes;
      this.isLost = isLost;
      this.left = maxBytes;
    }

    void add(StreamChange change) {
      long start = change.startOffset();
      long offset = start;
      boolean startsAppend = true;
      List<Part> parts = new ArrayList<>();
      for (Part part : change.bytes()) {
        if (isLost.test(part)) {
          endPiece(change, start, startsAppend, parts);
          lost.add(new Piece(change, offset, /* startsAppend= */ true, List.of(part)));
          offset += part.lengthBytes();
          start = offset;
          startsAppend = true;
          continue;
        }
        long taken = 0;
        while (taken < part.lengthBytes()) {
          long step = Math.min(left, part.lengthBytes() - taken);
          parts.add(slice(part, taken, step));
          taken += step;
          offset += step;
          left -= step;
          if (left == 0) {
            endPiece(change, start, startsAppend, parts);
            endSegment();
            start = offset;
            startsAppend = taken == part.lengthBytes();
          }
        }
      }
      endPiece(change, start, startsAppend, parts);
    }

    private void endPiece(StreamChange change, long start, boolean startsAppend, List<Part> parts) {
      if (!parts.isEmpty()) {
        segment.add(new Piece(change, start, startsAppend, parts));
        parts.clear();
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
