package dev.weir.lab.replay;

import dev.weir.lab.subject.HeldMemory.Occupancy;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What came of a replay, or of one of its phases. Not thread-safe.
 *
 * <p>Ratios are over the samples in which at least half of what the trace has live at its peak is
 * live, so that a cache that is being filled does not count, and not in drops: those are what
 * {@link #idle} is for.
 */
final class Figures {
  private static final double NANOS_PER_SECOND = 1e9;

  /** How far above the pages that live blocks touch an allocator is expected to stay. */
  private static final double PAGE_ALLOWANCE = 1.05;

  private final boolean ratiosCount;
  private final boolean hasBound;
  private long allocations;
  private long refusals;
  private long refusalsWithinBound;
  private long pageFaults;
  private long nanos;
  private long events;
  private long peakLiveBytes;
  private long peakPageBytes;
  private long peakResidentBytes = Sample.UNKNOWN;
  private long peakRssBytes = Sample.UNKNOWN;
  private long peakBeyondPagesBytes = Sample.UNKNOWN;
  private final Ratio resident = new Ratio();
  private final Ratio rss = new Ratio();
  private final Ratio pages = new Ratio();
  private @Nullable Sample idle;
  private long idleBeyondPagesBytes;
  private @Nullable Sample peak;
  private @Nullable Occupancy peakOccupancy;

  /**
   * Nothing yet.
   *
   * @param ratiosCount whether there are ratios of these samples, and not of pauses only
   * @param hasBound whether the allocator promises to refuse nothing up to some bound
   */
  Figures(boolean ratiosCount, boolean hasBound) {
    this.ratiosCount = ratiosCount;
    this.hasBound = hasBound;
  }

  /** Whether nothing has happened. */
  boolean isEmpty() {
    return allocations == 0 && peakLiveBytes == 0 && idle == null;
  }

  void allocated() {
    allocations++;
  }

  void refused(boolean withinBound) {
    refusals++;
    refusalsWithinBound += withinBound ? 1 : 0;
  }

  /** Takes in a sample; returns whether its ratio is the highest so far. */
  boolean sampled(Sample sample, long halfPeakLiveBytes) {
    peakLiveBytes = Math.max(peakLiveBytes, sample.liveBytes());
    peakPageBytes = Math.max(peakPageBytes, sample.pageBytes());
    peakResidentBytes = Math.max(peakResidentBytes, sample.residentBytes());
    peakRssBytes = Math.max(peakRssBytes, sample.rssBytes());
    if (!ratiosCount || sample.liveBytes() < halfPeakLiveBytes) {
      return false;
    }
    double before = resident.rawPeak();
    resident.add(sample.residentBytes(), sample.liveBytes(), sample.inMean());
    rss.add(sample.rssBytes(), sample.liveBytes(), sample.inMean());
    pages.add(sample.pageBytes(), sample.liveBytes(), sample.inMean());
    if (sample.heldBytes() != Sample.UNKNOWN) {
      peakBeyondPagesBytes = Math.max(peakBeyondPagesBytes, beyondPages(sample));
    }
    if (resident.rawPeak() > before) {
      peak = sample;
      return true;
    }
    return false;
  }

  /** What the allocator was made of in the sample that {@link #sampled} called the highest. */
  void peakWasMadeOf(Occupancy occupancy) {
    peakOccupancy = occupancy;
  }

  /** Takes in a sample after a pause. */
  void idled(Sample sample) {
    idleBeyondPagesBytes = Math.max(idleBeyondPagesBytes, beyondPages(sample));
    if (idle == null || idleRatio(sample) > idleRatio(idle)) {
      idle = sample;
    }
  }

  /** Takes in the peaks of somebody who looked more often. */
  void watched(long residentBytes, long kernelBytes) {
    peakResidentBytes = Math.max(peakResidentBytes, residentBytes);
    peakRssBytes = Math.max(peakRssBytes, kernelBytes);
  }

  /** Events were played, in so many nanoseconds. */
  void played(long moreEvents, long moreNanos) {
    events += moreEvents;
    nanos += moreNanos;
  }

  void took(long moreNanos, long morePageFaults) {
    nanos += moreNanos;
    pageFaults += morePageFaults;
  }

  /** Takes in what was refused in an earlier round. */
  void addRefusals(Figures other) {
    refusals += other.refusals;
    refusalsWithinBound += other.refusalsWithinBound;
  }

  void add(Figures other) {
    addRefusals(other);
    allocations += other.allocations;
    pageFaults += other.pageFaults;
    nanos += other.nanos;
    events += other.events;
    peakLiveBytes = Math.max(peakLiveBytes, other.peakLiveBytes);
    peakPageBytes = Math.max(peakPageBytes, other.peakPageBytes);
    peakResidentBytes = Math.max(peakResidentBytes, other.peakResidentBytes);
    peakRssBytes = Math.max(peakRssBytes, other.peakRssBytes);
    peakBeyondPagesBytes = Math.max(peakBeyondPagesBytes, other.peakBeyondPagesBytes);
    if (other.resident.rawPeak() > resident.rawPeak()) {
      peak = other.peak;
      peakOccupancy = other.peakOccupancy;
    }
    resident.add(other.resident);
    rss.add(other.rss);
    pages.add(other.pages);
    idleBeyondPagesBytes = Math.max(idleBeyondPagesBytes, other.idleBeyondPagesBytes);
    if (other.idle != null) {
      idled(other.idle);
    }
  }

  /** As fields of a JSON object. */
  Map<String, @Nullable Object> toMap() {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    map.put("allocations", allocations);
    map.put("refusals", refusals);
    map.put("refusalsWithinBound", hasBound ? refusalsWithinBound : null);
    map.put("seconds", Math.round(nanos / NANOS_PER_SECOND * 1000) / 1000.0);
    map.put("nanosPerEvent", events == 0 ? null : Math.round(10.0 * nanos / events) / 10.0);
    map.put("pageFaults", pageFaults);
    map.put("peakLiveBytes", peakLiveBytes);
    map.put("peakPageBytes", peakPageBytes);
    map.put("peakResidentBytes", known(peakResidentBytes));
    map.put("peakRssBytes", known(peakRssBytes));
    map.put("meanResidentBytes", resident.meanBytes());
    map.put("meanRssBytes", rss.meanBytes());
    Long meanLiveBytes = resident.meanLiveBytes();
    map.put("meanLiveBytes", meanLiveBytes == null ? rss.meanLiveBytes() : meanLiveBytes);
    map.put("peakRatio", resident.peak());
    map.put("meanRatio", resident.mean());
    map.put("ratioOfPeaks", ratio(peakResidentBytes, peakLiveBytes));
    map.put("peakRssRatio", rss.peak());
    map.put("meanRssRatio", rss.mean());
    map.put("peakPageRatio", pages.peak());
    map.put("meanPageRatio", pages.mean());
    map.put("peakBeyondPagesBytes", known(peakBeyondPagesBytes));
    map.put("peak", madeOf(peak, peakOccupancy));
    map.put("idle", idle == null ? null : idleMap(idle));
    return map;
  }

  private static @Nullable Map<String, @Nullable Object> madeOf(
      @Nullable Sample sample, @Nullable Occupancy occupancy) {
    if (sample == null || occupancy == null) {
      return null;
    }
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    map.put("liveBytes", sample.liveBytes());
    map.put("roundingBytes", occupancy.blockBytes() - sample.liveBytes());
    map.put("freeSlotBytes", occupancy.livePageBytes() - occupancy.blockBytes());
    map.put("dirtyBytes", occupancy.dirtyBytes());
    map.put("progress", Ratio.rounded(sample.progress()));
    return map;
  }

  private Map<String, @Nullable Object> idleMap(Sample worst) {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    map.put("liveBytes", worst.liveBytes());
    map.put("pageBytes", worst.pageBytes());
    map.put("residentBytes", known(worst.residentBytes()));
    map.put("rssBytes", known(worst.rssBytes()));
    map.put("ratio", ratio(worst.heldBytes(), worst.liveBytes()));
    map.put("beyondPagesBytes", idleBeyondPagesBytes);
    return map;
  }

  private static double idleRatio(Sample sample) {
    return (double) sample.heldBytes() / Math.max(1, sample.liveBytes());
  }

  private static long beyondPages(Sample sample) {
    return Math.max(0, sample.heldBytes() - Math.round(PAGE_ALLOWANCE * sample.pageBytes()));
  }

  private static @Nullable Long known(long bytes) {
    return bytes == Sample.UNKNOWN ? null : bytes;
  }

  private static @Nullable Double ratio(long numerator, long denominator) {
    return numerator == Sample.UNKNOWN || denominator <= 0
        ? null
        : Ratio.rounded((double) numerator / denominator);
  }
}
