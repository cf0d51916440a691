package dev.weir.streams.manifest;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Turns the streams of a shard into its manifest, with a table of the segments they lie in. */
final class SnapshotBuilder {
  private final SegmentTable segments;
  private final Map<Integer, Integer> indexes = new HashMap<>();
  private final List<SegmentEntry> table = new ArrayList<>();

  SnapshotBuilder(SegmentTable segments) {
    this.segments = segments;
  }

  Manifest build(int shard, long sequence, long epoch, Collection<StreamManifest> streams) {
    List<StreamManifest> sorted = new ArrayList<>(streams);
    sorted.sort(Comparator.comparingLong(StreamManifest::streamId));
    List<Manifest.Entry> entries = new ArrayList<>(sorted.size());
    for (StreamManifest stream : sorted) {
      entries.add(
          new Manifest.Entry(
              stream.header(),
              place(stream),
              stream.tailOffset(),
              stream.closed(),
              stream.closedBy(),
              stream.lastSequence(),
              stream.softDeleted(),
              List.copyOf(stream.producers().values())));
    }
    return new Manifest(shard, sequence, epoch, table, entries);
  }

  private List<PlacedExtent> place(StreamManifest stream) {
    ExtentList extents = stream.extents();
    List<PlacedExtent> placed = new ArrayList<>(extents.size());
    for (int i = 0; i < extents.size(); i++) {
      placed.add(
          new PlacedExtent(
              index(extents.segment(i)),
              extents.position(i),
              extents.startOffset(i),
              extents.lengthBytes(i, stream.tailOffset()),
              extents.startsAppend(i)));
    }
    return placed;
  }

  private int index(int segment) {
    return indexes.computeIfAbsent(
        segment,
        number -> {
          table.add(segments.get(number).entry());
          return table.size() - 1;
        });
  }
}
