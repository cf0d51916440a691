package dev.weir.streams.manifest;

import dev.weir.streams.objects.DeleteFailure;
import dev.weir.streams.objects.ObjectStore;
import dev.weir.streams.objects.Requests;
import dev.weir.streams.segments.SegmentReaders;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Segments that no stream needs since a commit: each is deleted when nobody reads it, and not
 * before a delay. For the storage thread.
 */
public final class DeadSegments {
  private final ObjectStore store;
  private final Manifests manifests;
  private final SegmentReaders readers;
  private final long delayMillis;
  private final List<Dead> waiting = new ArrayList<>();

  private record Dead(SegmentState segment, long notBeforeMillis) {}

  /**
   * Deletes what the manifests let go.
   *
   * @param delayMillis how long others may still read it: 0 in a directory, ten minutes on S3
   */
  public DeadSegments(
      ObjectStore store, Manifests manifests, SegmentReaders readers, long delayMillis) {
    this.store = store;
    this.manifests = manifests;
    this.readers = readers;
    this.delayMillis = delayMillis;
  }

  /** How many wait for their end. */
  public int waiting() {
    return waiting.size();
  }

  /**
   * Deletes what may go now; what cannot be deleted is tried again by the next call.
   *
   * @return how many are gone
   */
  public int deleteDue(long nowMillis) throws IOException {
    for (SegmentState segment : manifests.takeDead()) {
      waiting.add(new Dead(segment, nowMillis + delayMillis));
    }
    List<SegmentState> due = new ArrayList<>();
    for (Dead dead : waiting) {
      if (dead.notBeforeMillis() <= nowMillis && dead.segment().tryDelete()) {
        due.add(dead.segment());
      }
    }
    if (due.isEmpty()) {
      return 0;
    }
    List<String> keys = due.stream().map(segment -> segment.entry().id().key()).toList();
    Set<String> left = new HashSet<>();
    for (DeleteFailure failure : Requests.deleteAll(store, keys)) {
      left.add(failure.key());
    }
    due.removeIf(segment -> left.contains(segment.entry().id().key()));
    Set<SegmentState> gone = new HashSet<>(due);
    waiting.removeIf(dead -> gone.contains(dead.segment()));
    for (SegmentState segment : due) {
      manifests.segments().forget(segment);
      readers.remove(segment.entry().id());
    }
    return due.size();
  }
}
