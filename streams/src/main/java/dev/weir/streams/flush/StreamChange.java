package dev.weir.streams.flush;

import dev.weir.streams.manifest.Lifecycle;
import dev.weir.streams.manifest.Producer;
import dev.weir.streams.manifest.StreamHeader;
import dev.weir.streams.objects.ObjectContent.Part;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is to be flushed of one stream.
 *
 * @param created null if the stream was flushed before
 * @param startOffset of the first byte in {@code bytes}
 * @param bytes stay as they are until the flush has ended
 * @param tailOffset the stream's length afterwards
 * @param closedBy the producer append that closed it, if one did
 * @param lastSequence the newest {@code Stream-Seq}; null if there was none
 * @param producers those that appended, as they are afterwards
 */
public record StreamChange(
    long streamId,
    int shard,
    @Nullable StreamHeader created,
    long startOffset,
    List<Part> bytes,
    long tailOffset,
    boolean closes,
    @Nullable Producer closedBy,
    @Nullable String lastSequence,
    List<Producer> producers,
    Lifecycle lifecycle) {
  /** Takes copies of the lists. */
  public StreamChange {
    bytes = List.copyOf(bytes);
    producers = List.copyOf(producers);
  }

  /** The same with the same bytes elsewhere. */
  public StreamChange withBytes(List<Part> others) {
    return new StreamChange(
        streamId,
        shard,
        created,
        startOffset,
        others,
        tailOffset,
        closes,
        closedBy,
        lastSequence,
        producers,
        lifecycle);
  }
}
