package dev.weir.memory.pages;

import java.util.ArrayList;
import java.util.List;

/**
 * How many addresses a pool reserves for blocks that grow. Pure arithmetic.
 *
 * <p>Ranges come in tiers of 4 MiB, 256 MiB and 16 GiB. A block lies in the smallest range that
 * holds it, so one in a tier of ranges of R bytes is at least as long as those of the tier below, r
 * bytes; below the first tier are slots. With a limit of B bytes no more than B / r blocks can be
 * in the tier, and as many ranges are enough for any sequence of requests: 64 · B addresses for
 * each tier.
 *
 * @param tiers by length, shortest first; empty where no range is reserved
 */
public record GrowthPlan(List<Tier> tiers) {
  /** Ranges begin on it: the kernel moves a whole page table at once, 2 MiB with pages of 4 KiB. */
  static final long ALIGNMENT_BYTES = 2L << 20;

  /** Blocks of at most so many bytes are slots of slabs: 64 KiB. */
  private static final long LARGEST_SLOT_BYTES = 64L << 10;

  /** Each 64 times the one before: a block that grows to 2 GiB is moved twice. */
  private static final List<Long> ROOM_BYTES = List.of(4L << 20, 256L << 20, 16L << 30);

  private static final long MAX_RANGES = 1L << 24;

  /**
   * Ranges of one length.
   *
   * @param rangeBytes the length of each
   * @param ranges how many
   */
  public record Tier(long rangeBytes, int ranges) {
    long bytes() {
      return rangeBytes * ranges;
    }
  }

  /** The plan with every tier halved so often. */
  static GrowthPlan of(long limitBytes, int halvings) {
    List<Tier> tiers = new ArrayList<>();
    long longest = ReservationPlan.roundUp(limitBytes, ALIGNMENT_BYTES);
    long below = LARGEST_SLOT_BYTES;
    for (long length : ROOM_BYTES) {
      long ranges = Math.min(MAX_RANGES, (limitBytes / below) >> halvings);
      if (ranges == 0 || below >= limitBytes) {
        break;
      }
      long rangeBytes = Math.min(length, longest);
      tiers.add(new Tier(rangeBytes, (int) ranges));
      below = rangeBytes;
    }
    return new GrowthPlan(List.copyOf(tiers));
  }

  /** Addresses in all, with what alignment adds. */
  long bytes() {
    return tiers.isEmpty() ? 0 : tiers.stream().mapToLong(Tier::bytes).sum() + ALIGNMENT_BYTES;
  }
}
