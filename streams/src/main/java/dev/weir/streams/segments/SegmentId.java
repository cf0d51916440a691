package dev.weir.streams.segments;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a segment, never given twice.
 *
 * @param node the node that wrote it
 * @param epoch of that node's ownership
 * @param sequence counts the segments of an epoch
 */
public record SegmentId(int node, long epoch, long sequence) implements Comparable<SegmentId> {
  /** What all keys of segments begin with. */
  public static final String PREFIX = "seg/";

  private static final Pattern KEY = Pattern.compile("seg/(\\d{1,9})/(\\d{1,18})/([0-9a-f]{16})");

  /** The object's key: {@code seg/{node}/{epoch}/{sequence}}. */
  public String key() {
    return "%s%d/%d/%016x".formatted(PREFIX, node, epoch, sequence);
  }

  /** The segment that has a key; empty if no segment may have it. */
  public static Optional<SegmentId> parse(String key) {
    Matcher matcher = KEY.matcher(key);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    SegmentId id =
        new SegmentId(
            Integer.parseInt(matcher.group(1)),
            Long.parseLong(matcher.group(2)),
            Long.parseUnsignedLong(matcher.group(3), 16));
    return id.key().equals(key) ? Optional.of(id) : Optional.empty();
  }

  @Override
  public int compareTo(SegmentId other) {
    int byNode = Integer.compare(node, other.node);
    int byEpoch = byNode != 0 ? byNode : Long.compare(epoch, other.epoch);
    return byEpoch != 0 ? byEpoch : Long.compare(sequence, other.sequence);
  }

  @Override
  public String toString() {
    return key();
  }
}
