package dev.weir.memory.profile;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Tells suspected leaks from successive {@link LiveProfile}s: places in the code that hold blocks
 * older than a threshold, and more and more of them. Needs no garbage collection.
 *
 * <p>A cache that fills is told as well until it is full: what grows and does not go is all that
 * can be seen from outside. Without samples nothing can be seen, which is logged once: the pool
 * needs {@code PoolOptions.withProfile}, or the process {@code -Dweir.profile=on}. Thread-safe;
 * takes a few hundred kilobytes at most, whatever there is to watch.
 */
/*
 * For each place, three series of twelve points: the first spans half the threshold, so that a fast leak is told soon
 * after its first blocks have become old; the second spans ten times that, the third a hundred times, for leaks that
 * show only there. All places have their points at the same moments, so a place that appears had nothing old at the
 * points before.
 */
public final class LeakWatch {
  private static final Logger LOG = System.getLogger(LeakWatch.class.getName());

  /** What services usually wait for takes less: 30 s. */
  public static final Duration DEFAULT_THRESHOLD = Duration.ofSeconds(30);

  /** The most places that are followed: those with the most old bytes. */
  static final int MAX_PLACES = 512;

  /** The most places that are exchanged for others in one reading. */
  private static final int MAX_EXCHANGED = 32;

  /** The most that are told. */
  static final int MAX_SUSPECTS = 64;

  private static final int SERIES = 3;
  private static final int LONGER_EACH = 10;

  /** The first series spans this part of the threshold. */
  private static final int SPANS_IN_THRESHOLD = 2;

  private final Duration threshold;
  private final Moments[] moments = new Moments[SERIES];
  private final Map<List<StackTraceElement>, Place> places = new HashMap<>();
  private boolean saidThatNothingIsSeen;

  /** Published by {@link #read}, so that nobody waits for it. */
  private volatile List<LeakSuspect> suspects = List.of();

  /**
   * Creates a watch that has seen nothing yet.
   *
   * @param threshold what has been live for longer than that is old; at least 24 ns
   */
  public LeakWatch(Duration threshold) {
    this.threshold = threshold;
    long spacing = threshold.toNanos() / SPANS_IN_THRESHOLD / GrowthSeries.POINTS;
    if (spacing <= 0) {
      throw new IllegalArgumentException("threshold is too short: " + threshold);
    }
    for (int i = 0; i < SERIES; i++) {
      moments[i] = new Moments(spacing);
      spacing *= LONGER_EACH;
    }
  }

  /** What has been live for longer than that is old. */
  public Duration threshold() {
    return threshold;
  }

  /** How often {@link #read} should be called; more often does no harm. */
  public Duration interval() {
    return Duration.ofNanos(moments[0].spacingNanos);
  }

  /**
   * Takes notice of what is live now.
   *
   * @param profile of the pool that is watched; what is not old may be missing
   * @param nowNanos a {@link System#nanoTime} value, not before that of the last call
   */
  public synchronized void read(LiveProfile profile, long nowNanos) {
    if (profile.bytesPerSample() == 0 && !saidThatNothingIsSeen) {
      saidThatNothingIsSeen = true;
      LOG.log(
          Level.WARNING,
          "no leak can be seen: the pool takes no samples. Create it with PoolOptions.withProfile,"
              + " or start the JVM with -Dweir.profile=on");
    }
    places.values().forEach(Place::forget);
    List<LiveSite> strangers = new ArrayList<>();
    for (LiveSite site : profile.olderThan(threshold).sites()) {
      Place known = places.get(site.stack());
      if (known == null) {
        strangers.add(site);
      } else {
        known.add(site);
      }
    }
    admit(strangers);
    for (int i = 0; i < SERIES; i++) {
      if (moments[i].tryAdd(nowNanos)) {
        for (Place place : places.values()) {
          place.series[i].put(moments[i].newest(), place.bytes, place.samples);
        }
      }
    }
    places.values().removeIf(Place::isEmpty);
    suspects = findSuspects();
  }

  /** Follows places that are not followed yet, at the cost of those that hold less. */
  private void admit(List<LiveSite> strangers) {
    strangers.sort(Comparator.comparingLong(LiveSite::bytes).reversed());
    int exchanged = 0;
    for (LiveSite site : strangers) {
      Place place = places.get(site.stack());
      if (place == null && places.size() == MAX_PLACES && exchanged < MAX_EXCHANGED) {
        exchanged++;
        dropSmallestBelow(site.bytes());
      }
      if (place == null && places.size() < MAX_PLACES) {
        place = new Place();
        places.put(site.stack(), place);
      }
      if (place != null) {
        place.add(site);
      }
    }
  }

  private void dropSmallestBelow(long bytes) {
    places.entrySet().stream()
        .min(Comparator.comparingLong(entry -> entry.getValue().bytes))
        .filter(smallest -> smallest.getValue().bytes < bytes)
        .map(Map.Entry::getKey)
        .ifPresent(places::remove);
  }

  /**
   * The places that were growing at the last reading, those that grow fastest first. Waits for
   * nobody.
   */
  public List<LeakSuspect> suspects() {
    return suspects;
  }

  private List<LeakSuspect> findSuspects() {
    List<LeakSuspect> found = new ArrayList<>();
    places.forEach((stack, place) -> {
      GrowthSeries.Growth fastest = null;
      GrowthSeries.Growth longest = null;
      for (int i = 0; i < SERIES; i++) {
        GrowthSeries.Growth growth = place.series[i].growth(moments[i].nanos, moments[i].count);
        if (growth != null) {
          fastest = fastest == null ? growth : fastest;
          longest = growth;
        }
      }
      if (fastest != null && longest != null && place.bytes > 0) {
        found.add(place.suspect(stack, fastest.bytesPerSecond(), longest.nanos()));
      }
    });
    found.sort(Comparator.comparingLong(LeakSuspect::growthBytesPerSecond).reversed());
    return List.copyOf(found.subList(0, Math.min(MAX_SUSPECTS, found.size())));
  }

  /** How many places are followed. */
  synchronized int places() {
    return places.size();
  }

  /** When the points of a series were taken, in a ring. */
  private static final class Moments {
    private final long spacingNanos;
    private final long[] nanos = new long[GrowthSeries.POINTS];
    private int count;

    Moments(long spacingNanos) {
      this.spacingNanos = spacingNanos;
    }

    boolean tryAdd(long nowNanos) {
      // A reading that comes a little early is as good.
      long dueNanos = spacingNanos - spacingNanos / 4;
      if (count > 0 && nowNanos - nanos[newest() % nanos.length] < dueNanos) {
        return false;
      }
      nanos[count % nanos.length] = nowNanos;
      // Far below an overflow, and still a number of the same place in the ring.
      count = count + 1 < 2 * nanos.length ? count + 1 : count + 1 - nanos.length;
      return true;
    }

    int newest() {
      return count - 1;
    }
  }

  /** What one place in the code held at the last reading, and before. */
  private static final class Place {
    private final GrowthSeries[] series = new GrowthSeries[SERIES];
    private String budget = "";
    private long budgetBytes;
    private int budgets;
    private long bytes;
    private long blocks;
    private int samples;
    private long oldestNanos;

    Place() {
      for (int i = 0; i < SERIES; i++) {
        series[i] = new GrowthSeries();
      }
    }

    void forget() {
      budget = "";
      budgetBytes = 0;
      budgets = 0;
      bytes = 0;
      blocks = 0;
      samples = 0;
      oldestNanos = 0;
    }

    void add(LiveSite site) {
      if (site.bytes() > budgetBytes) {
        budget = site.budget();
        budgetBytes = site.bytes();
      }
      budgets++;
      bytes += site.bytes();
      blocks += site.blocks();
      samples += site.samples();
      oldestNanos = Math.max(oldestNanos, site.oldestNanos());
    }

    /** Whether it holds nothing old, and did not where the points of any series lie. */
    boolean isEmpty() {
      if (bytes > 0) {
        return false;
      }
      for (GrowthSeries one : series) {
        if (!one.isZero()) {
          return false;
        }
      }
      return true;
    }

    LeakSuspect suspect(List<StackTraceElement> stack, long bytesPerSecond, long growingNanos) {
      return new LeakSuspect(
          stack,
          budget,
          budgets,
          bytes,
          blocks,
          samples,
          oldestNanos,
          bytesPerSecond,
          growingNanos);
    }
  }
}
