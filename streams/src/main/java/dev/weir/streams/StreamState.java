package dev.weir.streams;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that is known of a stream at one moment, but for its producers. Published states are durable
 * and never change.
 *
 * @param streamId number of this stream, never used again
 * @param path the stream's URL path, decoded
 * @param createdMillis since 1970
 * @param segments in order of their offsets; empty for a stream without bytes
 * @param tailOffset bytes in the stream: the offset of the next one
 * @param closed whether the stream has ended for good
 * @param closedBy the producer append that closed it, if one did
 * @param lastSequence the highest {@code Stream-Seq}, null before the first
 * @param softDeleted deleted by its owner, and kept only because forks read its bytes
 */
public record StreamState(
    long streamId,
    String path,
    StreamConfig config,
    long createdMillis,
    List<Segment> segments,
    long tailOffset,
    boolean closed,
    @Nullable ProducerTag closedBy,
    @Nullable String lastSequence,
    boolean softDeleted) {
  /**
   * How many segments a stream may have; one of an older version may have more. Each takes 17 bytes
   * of the stream's frame in a snapshot, which has room for {@link FrameLayout#MAX_BODY_BYTES}: 1.1
   * MB of 4.2 MB, where {@link Stream#MAX_PRODUCERS} take 2.8 MB and the strings, none longer than
   * a request's headers, what is left. The record of a fork, which begins with its source's
   * segments, fits a journal's frame with its first bytes.
   */
  static final int MAX_SEGMENTS = 1 << 16;

  /** What a stream takes at least, with its entries in the catalog. */
  private static final long STREAM_BYTES = 512;

  private static final long SEGMENT_BYTES = 128;

  /** About how much of the Java heap the stream takes, rather too much than too little. */
  long heldBytes() {
    return STREAM_BYTES
        + segments.size() * SEGMENT_BYTES
        + stringBytes(path)
        + stringBytes(config.contentType())
        + stringBytes(config.expiresAt())
        + stringBytes(lastSequence);
  }

  /** What a string's characters take at most. */
  static long stringBytes(@Nullable String text) {
    return text == null ? 0 : 2L * text.length();
  }

  StreamState apply(Mutation.Appended append) {
    List<Segment> next = segments;
    Segment segment = append.segment();
    if (append.bytes() > 0
        && (segments.isEmpty() || segments.getLast().fileId() != segment.fileId())) {
      next = new ArrayList<>(segments.size() + 1);
      next.addAll(segments);
      if (!next.isEmpty()) {
        next.set(next.size() - 1, next.getLast().sealed());
      }
      next.add(segment);
      next = List.copyOf(next);
    }
    return new StreamState(
        streamId,
        path,
        config,
        createdMillis,
        next,
        append.offset() + append.bytes(),
        closed || append.closes(),
        append.closes() ? append.producer() : closedBy,
        append.sequence() != null ? append.sequence() : lastSequence,
        softDeleted);
  }

  /** The same with other segments. */
  StreamState withSegments(List<Segment> others) {
    return new StreamState(
        streamId,
        path,
        config,
        createdMillis,
        others,
        tailOffset,
        closed,
        closedBy,
        lastSequence,
        softDeleted);
  }

  StreamState asSoftDeleted() {
    return new StreamState(
        streamId,
        path,
        config,
        createdMillis,
        segments,
        tailOffset,
        closed,
        closedBy,
        lastSequence,
        /* softDeleted= */ true);
  }

  /** The segments of a fork that shares this stream's bytes before {@code offset}. */
  List<Segment> segmentsBefore(long offset) {
    return segments.stream()
        .filter(segment -> segment.startOffset() < offset)
        .map(Segment::sealed)
        .toList();
  }

  /**
   * Where the segment begins that has the byte at {@code offset}, or would have the next one: an
   * append began there. 0 in a stream without bytes.
   */
  public long segmentStart(long offset) {
    return segments.isEmpty() ? 0 : segments.get(segmentIndex(offset)).startOffset();
  }

  /** Which segment has the byte at {@code offset}; there must be segments. */
  int segmentIndex(long offset) {
    int low = 0;
    int high = segments.size() - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (segments.get(middle).startOffset() <= offset) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /** Bytes of this stream in its {@code index}-th segment. */
  long segmentBytes(int index) {
    long end = index + 1 < segments.size() ? segments.get(index + 1).startOffset() : tailOffset;
    return end - segments.get(index).startOffset();
  }
}
