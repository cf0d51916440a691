package dev.weir.streams.segments;

import dev.weir.streams.objects.ObjectStore;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The readers of a store's segments: one for each that was read or written since the start, so that
 * what was verified stays so. About 4 KiB of Java heap for a segment of 64 MiB. Any thread.
 */
public final class SegmentReaders {
  private final ObjectStore store;
  private final Map<SegmentId, SegmentReader> readers = new ConcurrentHashMap<>();

  /** Of one store. */
  public SegmentReaders(ObjectStore store) {
    this.store = store;
  }

  /** The reader of a segment; blocks where its footer has to be read. */
  public SegmentReader get(SegmentId id) throws IOException {
    SegmentReader known = readers.get(id);
    if (known != null) {
      return known;
    }
    // Two threads may both read the footer; one of the readers stays.
    SegmentReader opened = SegmentReader.open(store, id);
    SegmentReader first = readers.putIfAbsent(id, opened);
    return first != null ? first : opened;
  }

  /** Notes a segment that this process has written, all of which counts as verified. */
  public void putWritten(SegmentWriter.Finished segment) {
    readers.put(segment.id(), SegmentReader.of(store, segment.footer()).markWritten());
  }

  /** Forgets a segment that is deleted. */
  public void remove(SegmentId id) {
    readers.remove(id);
  }
}
