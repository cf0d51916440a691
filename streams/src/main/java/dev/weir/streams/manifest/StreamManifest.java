package dev.weir.streams.manifest;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All that commits say of a stream up to one of them. Immutable.
 *
 * @param extents of the stream's own bytes; those before a fork's point are its source's
 * @param tailOffset how long the stream is
 * @param softDeleted kept only because forks read its bytes
 * @param producers by their names
 */
public record StreamManifest(
    StreamHeader header,
    ExtentList extents,
    long tailOffset,
    boolean closed,
    @Nullable Producer closedBy,
    @Nullable String lastSequence,
    boolean softDeleted,
    Map<String, Producer> producers) {
  /** Its number. */
  public long streamId() {
    return header.streamId();
  }

  /** The same with other extents. */
  StreamManifest withExtents(ExtentList others) {
    return new StreamManifest(
        header, others, tailOffset, closed, closedBy, lastSequence, softDeleted, producers);
  }
}
