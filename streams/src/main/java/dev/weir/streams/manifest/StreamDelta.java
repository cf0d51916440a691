package dev.weir.streams.manifest;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one flush changed of a stream.
 *
 * @param created the stream came to be; null if it was there before
 * @param extents what was appended, in order, without a gap behind what was there
 * @param tailOffset the stream's length afterwards
 * @param closes the stream has ended
 * @param closedBy the producer append that closed it, if one did
 * @param lastSequence the newest {@code Stream-Seq}; null if there was none
 * @param producers those that appended, as they are afterwards
 */
public record StreamDelta(
    long streamId,
    int shard,
    @Nullable StreamHeader created,
    List<PlacedExtent> extents,
    long tailOffset,
    boolean closes,
    @Nullable Producer closedBy,
    @Nullable String lastSequence,
    List<Producer> producers,
    Lifecycle lifecycle) {
  /** Takes copies of the lists. */
  public StreamDelta {
    extents = List.copyOf(extents);
    producers = List.copyOf(producers);
  }
}
