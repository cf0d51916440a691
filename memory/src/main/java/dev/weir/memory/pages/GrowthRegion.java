package dev.weir.memory.pages;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The region of ranges, tier by tier: which are free, and which have dirty pages.
 *
 * <p>Ranges of a tier are alike, so any free one will do: the one that was closed last has the
 * warmest pages. Not thread-safe: the page heap's lock guards it. What a release calls needs
 * nothing from the Java heap.
 */
final class GrowthRegion {
  private final List<Tier> tiers = new ArrayList<>();

  /** Ranges with dirty pages, the one that has been closed longest first. */
  private final GrowthRangeList dirtyRanges = new GrowthRangeList();

  private long liveBytes;
  private long dirtyBytes;
  private int openRanges;
  private int busyRooms;

  private static final class Tier {
    final long base;
    final long rangeBytes;
    final int ranges;

    /** The one that was closed last comes first. */
    final GrowthRangeList free = new GrowthRangeList();

    /** Every range that has ever been used, by address. */
    final List<GrowthRange> all = new ArrayList<>();

    Tier(long base, long rangeBytes, int ranges) {
      this.base = base;
      this.rangeBytes = rangeBytes;
      this.ranges = ranges;
    }
  }

  GrowthRegion(GrowthPlan plan, long base) {
    long next = base;
    for (GrowthPlan.Tier tier : plan.tiers()) {
      tiers.add(new Tier(next, tier.rangeBytes(), tier.ranges()));
      next += tier.bytes();
    }
  }

  /** Bytes of blocks. */
  long liveBytes() {
    return liveBytes;
  }

  /** Bytes that are free and resident, without those that somebody is purging. */
  long dirtyBytes() {
    return dirtyBytes;
  }

  int openRanges() {
    return openRanges;
  }

  /** Whether a purge or a move is under way: ranges may be free again soon. */
  boolean hasBusyRanges() {
    return busyRooms > 0;
  }

  /** The free range in which a block of so many bytes would begin; null if there is none. */
  @Nullable GrowthRange candidate(long bytes) {
    for (int index = 0; index < tiers.size(); index++) {
      Tier tier = tiers.get(index);
      if (bytes <= tier.rangeBytes) {
        return candidate(tier, index);
      }
    }
    return null;
  }

  /** Whether a block of so many bytes has a free range, perhaps one that somebody purges. */
  boolean hasFree(long bytes) {
    for (Tier tier : tiers) {
      if (bytes <= tier.rangeBytes) {
        return tier.free.size() > 0 || tier.all.size() < tier.ranges;
      }
    }
    return false;
  }

  private static @Nullable GrowthRange candidate(Tier tier, int index) {
    for (GrowthRangeList.Place place = tier.free.first(); place != null; place = place.next()) {
      if (!place.range.busy) {
        return place.range;
      }
    }
    if (tier.all.size() == tier.ranges) {
      return null;
    }
    GrowthRange fresh =
        new GrowthRange(index, tier.base + tier.all.size() * tier.rangeBytes, tier.rangeBytes);
    tier.all.add(fresh);
    tier.free.addFirst(fresh.amongFree);
    return fresh;
  }

  /** How long the ranges of a tier are; those of lower ones are shorter. */
  long rangeBytes(int tier) {
    return tiers.get(tier).rangeBytes;
  }

  /** Every range of a tier that has ever been used, by address. The list itself. */
  List<GrowthRange> ranges(int tier) {
    return tiers.get(tier).all;
  }

  /** Takes a free range out of the free ones. */
  void take(GrowthRange range) {
    if (!tiers.get(range.tier).free.remove(range.amongFree)) {
      throw new IllegalStateException("the range at 0x%x is not free".formatted(range.address()));
    }
    openRanges++;
  }

  /** Puts a range whose block has gone back to the free ones. */
  void giveBack(GrowthRange range) {
    tiers.get(range.tier).free.addFirst(range.amongFree);
    openRanges--;
    range.young = true;
    if (dirtyRanges.remove(range.amongDirty)) {
      dirtyRanges.addLast(range.amongDirty);
    }
  }

  /** Sets how much of a range is live, and how much of it resident. */
  void set(GrowthRange range, long live, long resident) {
    count(range, live, resident);
    if (resident == live) {
      dirtyRanges.remove(range.amongDirty);
    } else if (!range.amongDirty.isListed()) {
      dirtyRanges.addLast(range.amongDirty);
    }
  }

  private void count(GrowthRange range, long live, long resident) {
    liveBytes += live - range.liveBytes;
    dirtyBytes += resident - live - range.dirtyBytes();
    range.liveBytes = live;
    range.residentBytes = resident;
  }

  /** Keeps others away from a range while the lock is not held. */
  void setBusy(GrowthRange range) {
    range.busy = true;
    busyRooms++;
  }

  void endBusy(GrowthRange range) {
    range.busy = false;
    busyRooms--;
  }

  /** Takes at most so many dirty bytes from the end of the range that has been closed longest. */
  PurgeClaim.@Nullable OfRange claimOldest(long maxBytes) {
    return claimOldest(maxBytes, /* aged= */ false);
  }

  /** As {@link #claimOldest}, of the ranges that were closed before the last {@link #age}. */
  PurgeClaim.@Nullable OfRange claimAged(long maxBytes) {
    return claimOldest(maxBytes, /* aged= */ true);
  }

  private PurgeClaim.@Nullable OfRange claimOldest(long maxBytes, boolean aged) {
    for (GrowthRangeList.Place place = dirtyRanges.first(); place != null; place = place.next()) {
      GrowthRange range = place.range;
      if (!range.busy && !(aged && range.young)) {
        long to = range.residentBytes;
        long from = Math.max(range.liveBytes, to - maxBytes);
        PurgeClaim.OfRange claim = new PurgeClaim.OfRange(this, range, from, to);
        // It stays listed, so that putting the pages back needs nothing from the Java heap.
        count(range, range.liveBytes, from);
        setBusy(range);
        return claim;
      }
    }
    return null;
  }

  /** The pages of a claim have been purged, or are dirty again. */
  void settle(PurgeClaim.OfRange claim, boolean purged) {
    GrowthRange range = claim.range();
    endBusy(range);
    if (!purged) {
      range.young = true;
      count(range, range.liveBytes, claim.to());
    } else if (range.dirtyBytes() == 0) {
      dirtyRanges.remove(range.amongDirty);
    }
  }

  /** Ends the youth of every range. */
  void age() {
    for (GrowthRangeList.Place place = dirtyRanges.first(); place != null; place = place.next()) {
      place.range.young = false;
    }
  }

  /** Evaluates: bytes add up, and ranges with dirty pages are listed. Only while none is busy. */
  void checkInvariants() {
    long dirty = 0;
    for (GrowthRangeList.Place place = dirtyRanges.first(); place != null; place = place.next()) {
      GrowthRange range = place.range;
      if (range.dirtyBytes() <= 0 || range.residentBytes > range.rangeBytes()) {
        throw new AssertionError(
            "range of %,d: %,d live, %,d resident, listed as dirty"
                .formatted(range.rangeBytes(), range.liveBytes, range.residentBytes));
      }
      dirty += range.dirtyBytes();
    }
    int open = 0;
    for (Tier tier : tiers) {
      open += tier.all.size() - tier.free.size();
      for (GrowthRangeList.Place place = tier.free.first(); place != null; place = place.next()) {
        GrowthRange range = place.range;
        if (range.liveBytes != 0 || (range.residentBytes > 0 && !range.amongDirty.isListed())) {
          throw new AssertionError(
              "free range: %,d live, %,d resident".formatted(range.liveBytes, range.residentBytes));
        }
      }
    }
    if (dirty != dirtyBytes || open != openRanges) {
      throw new AssertionError(
          "dirty %,d (counted %,d), open %d (counted %d)"
              .formatted(dirty, dirtyBytes, open, openRanges));
    }
  }
}
