package dev.weir.streams.compaction;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which segments to merge next; pure. The first rule that finds some has its way:
 *
 * <ol>
 *   <li>More than 8 segments below 4 MiB that are older than 10 minutes are merged.
 *   <li>Flushed segments with short extents are merged, one <em>run</em> of segments out of up to
 *       96 flushes. The more runs there are, the more flushes a run takes: 12 for each.
 *   <li>The same, for what was flushed when nothing came after it for 10 minutes.
 *   <li>The four smallest runs of more than 12 become one.
 *   <li>Segments of which less than half is live are written again.
 * </ol>
 *
 * A stream has one extent in each run (two where a segment ends there), so 1,000 flushes of every
 * stream leave it some 14. Each byte is written again once, by rule 2, as a rule. What would bring
 * the bytes written above 2.5 for each byte flushed waits.
 */
public final class CompactionPolicy {
  /** A reader of an object store fetches pages of this size. */
  private static final long REMOTE_COARSE_EXTENT_BYTES = 1 << 20;

  /**
   * On a disk an extent of a stride costs a reader nothing that counts, and a merge costs writes.
   */
  private static final long LOCAL_COARSE_EXTENT_BYTES = 64 << 10;

  private static final long SMALL_SEGMENT_BYTES = 4 << 20;
  private static final int MAX_SMALL_SEGMENTS = 8;
  private static final long SETTLED_MILLIS = 600_000;
  private static final int FLUSHES_PER_RUN = 12;
  private static final int MAX_FLUSHES = 96;
  private static final int MAX_RUNS = 12;
  private static final int RUNS_AT_ONCE = 4;
  private static final int MAX_INPUTS = 256;
  private static final double MAX_AMPLIFICATION = 2.5;

  /** A little is always allowed, so that small stores are kept in order too. */
  private static final long FREE_BYTES = 64 << 20;

  private CompactionPolicy() {}

  /** Extents of this size are left alone. */
  static long coarseExtentBytes(boolean isLocal) {
    return isLocal ? LOCAL_COARSE_EXTENT_BYTES : REMOTE_COARSE_EXTENT_BYTES;
  }

  /** The segments to merge; empty for none. */
  public static List<SegmentFacts> choose(
      Collection<SegmentFacts> segments, WriteCount written, long nowMillis) {
    List<List<SegmentFacts>> candidates =
        List.of(
            small(segments, nowMillis),
            flushed(segments),
            settled(segments, nowMillis),
            smallestRuns(segments),
            mostlyDead(segments));
    for (List<SegmentFacts> candidate : candidates) {
      if (!candidate.isEmpty() && isAffordable(candidate, written)) {
        return candidate;
      }
    }
    return List.of();
  }

  private static boolean isAffordable(List<SegmentFacts> inputs, WriteCount written) {
    long bytes = inputs.stream().mapToLong(SegmentFacts::liveBytes).sum();
    double limit = MAX_AMPLIFICATION * written.flushedBytes() + FREE_BYTES;
    return written.flushedBytes() + written.compactedBytes() + bytes <= limit;
  }

  private static List<SegmentFacts> small(Collection<SegmentFacts> segments, long nowMillis) {
    List<SegmentFacts> small =
        oldestFirst(segments).stream()
            .filter(segment -> segment.entry().dataBytes() < SMALL_SEGMENT_BYTES)
            .filter(segment -> isSettled(segment, nowMillis))
            .toList();
    return small.size() > MAX_SMALL_SEGMENTS ? atMost(MAX_INPUTS, small) : List.of();
  }

  private static List<SegmentFacts> flushed(Collection<SegmentFacts> segments) {
    Map<Long, List<SegmentFacts>> flushes = fineFlushes(segments);
    int due = Math.min(MAX_FLUSHES, FLUSHES_PER_RUN * (runs(segments).size() + 1));
    return flushes.size() >= due ? firstOf(flushes.values(), MAX_FLUSHES) : List.of();
  }

  private static List<SegmentFacts> settled(Collection<SegmentFacts> segments, long nowMillis) {
    Map<Long, List<SegmentFacts>> flushes = fineFlushes(segments);
    boolean isSettled =
        flushes.size() > 1
            && flushes.values().stream()
                .flatMap(List::stream)
                .allMatch(segment -> isSettled(segment, nowMillis));
    return isSettled ? firstOf(flushes.values(), MAX_FLUSHES) : List.of();
  }

  private static List<SegmentFacts> smallestRuns(Collection<SegmentFacts> segments) {
    List<List<SegmentFacts>> runs = new ArrayList<>(runs(segments).values());
    if (runs.size() <= MAX_RUNS) {
      return List.of();
    }
    runs.sort(
        Comparator.comparingLong(run -> run.stream().mapToLong(SegmentFacts::liveBytes).sum()));
    return firstOf(runs, RUNS_AT_ONCE);
  }

  private static List<SegmentFacts> mostlyDead(Collection<SegmentFacts> segments) {
    return atMost(
        MAX_INPUTS,
        oldestFirst(segments).stream()
            .filter(segment -> segment.liveBytes() < segment.entry().dataBytes() / 2)
            .toList());
  }

  private static boolean isSettled(SegmentFacts segment, long nowMillis) {
    return nowMillis - segment.entry().createdMillis() > SETTLED_MILLIS;
  }

  /** Flushed segments with short extents, by the moment of their flush. */
  private static Map<Long, List<SegmentFacts>> fineFlushes(Collection<SegmentFacts> segments) {
    Map<Long, List<SegmentFacts>> flushes = new TreeMap<>();
    for (SegmentFacts segment : oldestFirst(segments)) {
      if (segment.isFlushed() && segment.isFine()) {
        add(segment, flushes);
      }
    }
    return flushes;
  }

  /** Merged segments with short extents, by the moment of their compaction. */
  private static Map<Long, List<SegmentFacts>> runs(Collection<SegmentFacts> segments) {
    Map<Long, List<SegmentFacts>> runs = new TreeMap<>();
    for (SegmentFacts segment : segments) {
      if (!segment.isFlushed() && segment.isFine()) {
        add(segment, runs);
      }
    }
    return runs;
  }

  private static void add(SegmentFacts segment, Map<Long, List<SegmentFacts>> groups) {
    groups
        .computeIfAbsent(segment.entry().createdMillis(), moment -> new ArrayList<>())
        .add(segment);
  }

  /** Whole groups, as long as there are not too many segments to read at once. */
  private static List<SegmentFacts> firstOf(Collection<List<SegmentFacts>> groups, int maxGroups) {
    List<SegmentFacts> all = new ArrayList<>();
    int taken = 0;
    for (List<SegmentFacts> group : groups) {
      if (taken == maxGroups || all.size() + group.size() > MAX_INPUTS) {
        break;
      }
      all.addAll(group);
      taken++;
    }
    return taken > 1 ? all : List.of();
  }

  private static List<SegmentFacts> oldestFirst(Collection<SegmentFacts> segments) {
    return segments.stream()
        .sorted(
            Comparator.<SegmentFacts>comparingLong(segment -> segment.entry().createdMillis())
                .thenComparing(segment -> segment.entry().id()))
        .toList();
  }

  private static List<SegmentFacts> atMost(int count, List<SegmentFacts> segments) {
    return segments.subList(0, Math.min(count, segments.size()));
  }
}
