package dev.weir.streams.manifest;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/** The equations between streams and segments. */
final class ManifestInvariants {
  private ManifestInvariants() {}

  /** Extents leave no gap, and segments count what lies in them over all shards. */
  static void check(Collection<StreamManifest> streams, SegmentTable segments, long nextStreamId) {
    Map<Integer, long[]> counted = new HashMap<>();
    for (StreamManifest stream : streams) {
      ExtentList extents = stream.extents();
      long offset = stream.header().ownOffset();
      for (int i = 0; i < extents.size(); i++) {
        long length = extents.lengthBytes(i, stream.tailOffset());
        check(extents.startOffset(i) == offset && length > 0, stream.header().path());
        long[] sums = counted.computeIfAbsent(extents.segment(i), number -> new long[2]);
        sums[0]++;
        sums[1] += length;
        offset += length;
      }
      check(offset == stream.tailOffset(), stream.header().path());
      check(stream.streamId() < nextStreamId, stream.header().path());
    }
    for (SegmentState segment : segments.live()) {
      long[] sums = counted.remove(segment.number());
      check(
          sums != null
              && sums[0] == segment.liveExtents()
              && sums[1] == segment.liveBytes()
              && sums[1] <= segment.entry().dataBytes(),
          segment.entry().id().key());
    }
    check(counted.isEmpty(), "extents in no segment");
  }

  private static void check(boolean holds, String what) {
    if (!holds) {
      throw new IllegalStateException("an invariant does not hold: " + what);
    }
  }
}
