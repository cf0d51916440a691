package dev.weir.streams.recovery;

import dev.weir.streams.manifest.ExtentList;
import dev.weir.streams.manifest.Manifests;
import dev.weir.streams.manifest.SegmentState;
import dev.weir.streams.manifest.StreamManifest;
import dev.weir.streams.segments.Extent;
import dev.weir.streams.segments.SegmentFooter;
import dev.weir.streams.segments.SegmentId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Every extent of every stream, one by one: for those who look at all of them. */
final class StreamExtents {
  private StreamExtents() {}

  /** An extent, and where it is said to lie. */
  record Placed(
      String path,
      long streamId,
      long startOffset,
      SegmentId segment,
      long position,
      long lengthBytes) {
    /** Whether a segment says the same of itself. */
    boolean isIn(SegmentFooter footer) {
      Extent found = lastNotBehind(footer.extents());
      if (found == null || found.streamId() != streamId) {
        return false;
      }
      long skipped = startOffset - found.startOffset();
      return skipped + lengthBytes <= found.lengthBytes() && found.position() + skipped == position;
    }

    /** Of extents in order, the last one that begins here or earlier. */
    private @Nullable Extent lastNotBehind(List<Extent> extents) {
      int low = 0;
      int high = extents.size();
      while (low < high) {
        int middle = (low + high) >>> 1;
        Extent extent = extents.get(middle);
        boolean behind =
            extent.streamId() > streamId
                || (extent.streamId() == streamId && extent.startOffset() > startOffset);
        if (behind) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      return low == 0 ? null : extents.get(low - 1);
    }
  }

  static List<Placed> of(Manifests manifests) {
    List<Placed> all = new ArrayList<>();
    for (StreamManifest stream : manifests.streams()) {
      ExtentList extents = stream.extents();
      for (int i = 0; i < extents.size(); i++) {
        SegmentState segment = manifests.segments().find(extents.segment(i));
        if (segment != null) {
          all.add(
              new Placed(
                  stream.header().path(),
                  stream.streamId(),
                  extents.startOffset(i),
                  segment.entry().id(),
                  extents.position(i),
                  extents.lengthBytes(i, stream.tailOffset())));
        }
      }
    }
    return all;
  }
}
