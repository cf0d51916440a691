package dev.weir.streams.manifest;

import dev.weir.streams.segments.SegmentId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The segments that streams of all shards have extents in. Each gets a number for the life of the
 * process, never given twice, so that extents can be packed.
 *
 * <p>The storage thread writes; {@link #find} is for any thread.
 */
public final class SegmentTable {
  private final Map<Integer, SegmentState> byNumber = new ConcurrentHashMap<>();
  private final Map<SegmentId, SegmentState> byId = new HashMap<>();
  private final Set<SegmentState> suspects = new LinkedHashSet<>();
  private int nextNumber;

  SegmentTable() {}

  /** The segment with a number; null once it was dead and forgotten. */
  public @Nullable SegmentState find(int number) {
    return byNumber.get(number);
  }

  /** The segment with a name, if it is live; for the storage thread. */
  public @Nullable SegmentState find(SegmentId id) {
    return byId.get(id);
  }

  /** Those with live extents; for the storage thread. */
  public Collection<SegmentState> live() {
    return byId.values();
  }

  /** The names of all that are live, or dead and not deleted yet. */
  public Set<SegmentId> names() {
    Set<SegmentId> names = new HashSet<>();
    byNumber.values().forEach(segment -> names.add(segment.entry().id()));
    return names;
  }

  SegmentState get(int number) {
    SegmentState state = byNumber.get(number);
    if (state == null) {
      throw new IllegalStateException("no segment has number " + number);
    }
    return state;
  }

  SegmentState intern(SegmentEntry entry) {
    SegmentState known = byId.get(entry.id());
    if (known != null) {
      return known;
    }
    if (nextNumber == Integer.MAX_VALUE) {
      throw new IllegalStateException("2^31 segments since the start; restart the node");
    }
    SegmentState state = new SegmentState(nextNumber++, entry);
    byId.put(entry.id(), state);
    byNumber.put(state.number(), state);
    suspects.add(state);
    return state;
  }

  void drop(int number, long bytes) {
    SegmentState state = get(number);
    state.drop(bytes);
    if (state.liveExtents() == 0) {
      suspects.add(state);
    }
  }

  /** Takes out those without a live extent. Readers still find them until they are forgotten. */
  List<SegmentState> takeDead() {
    List<SegmentState> dead = new ArrayList<>();
    for (SegmentState state : suspects) {
      if (state.liveExtents() == 0) {
        byId.remove(state.entry().id());
        dead.add(state);
      }
    }
    suspects.clear();
    return dead;
  }

  /** Ends what {@link #find(int)} knows of a segment: its object is deleted. */
  public void forget(SegmentState dead) {
    byNumber.remove(dead.number());
  }
}
