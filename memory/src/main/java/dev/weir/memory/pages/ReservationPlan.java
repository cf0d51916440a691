package dev.weir.memory.pages;

import org.jspecify.annotations.Nullable;

/**
 * How many addresses a pool reserves, and what follows from it. Pure arithmetic.
 *
 * <p>For a limit of B bytes, n = B / page:
 *
 * <ul>
 *   <li>runs: address-ordered first fit serves any sequence of requests whose live pages never
 *       exceed n within n · (log2 n + 1) pages (J. M. Robson, "Worst case fragmentation of first
 *       fit and best fit storage allocation strategies", The Computer Journal 20(3), 1977);
 *   <li>small spans: one for every OS page of B, since a span that any block pins has a resident
 *       page;
 *   <li>large spans: one for every two OS pages, since each of their slots lies on two at least;
 *   <li>ranges for blocks that grow: {@link GrowthPlan}.
 * </ul>
 *
 * <p>Where the process may not map that much, or other pools need addresses too, every part is
 * halved until it fits; {@link #halvings()} says how often.
 *
 * @param pageBytes the page of run bookkeeping
 * @param runPages pages in the run region
 * @param smallSpans spans of {@link SpanSize#SMALL}
 * @param largeSpans spans of {@link SpanSize#LARGE}
 * @param growth ranges for blocks that grow
 * @param halvings how often the full size was halved; 0 means that the bound holds for every
 *     sequence of requests
 */
public record ReservationPlan(
    long pageBytes,
    long runPages,
    int smallSpans,
    int largeSpans,
    GrowthPlan growth,
    int halvings) {
  /** Half of the 47 bits of addresses that a process has on x86-64 and AArch64. */
  private static final long MAX_RESERVATION_BYTES = 1L << 46;

  /** Regions begin and end on a multiple of the largest span. */
  static final long REGION_ALIGNMENT_BYTES = SpanSize.LARGE.bytes();

  private static final long MAX_SPANS = Integer.MAX_VALUE / 2;

  /** The largest plan for a limit that the address space can hold. */
  public static ReservationPlan of(long limitBytes, int osPageBytes) {
    for (int halvings = 0; ; halvings++) {
      ReservationPlan plan = of(limitBytes, osPageBytes, halvings);
      if (plan.bytes() <= MAX_RESERVATION_BYTES) {
        return plan;
      }
    }
  }

  /** The plan with every part halved so often, but never below what holds the limit once. */
  public static ReservationPlan of(long limitBytes, int osPageBytes, int halvings) {
    long pageBytes = osPageBytes;
    long pages = limitBytes / pageBytes;
    int logPages = Long.SIZE - Long.numberOfLeadingZeros(Math.max(1, pages - 1));
    long runPages = Math.max(pages, (pages * (logPages + 1L)) >> halvings);
    long pagesPerAlignment = REGION_ALIGNMENT_BYTES / pageBytes;
    return new ReservationPlan(
        pageBytes,
        roundUp(runPages, Math.max(1, pagesPerAlignment)),
        spans(limitBytes, osPageBytes, SpanSize.SMALL, halvings),
        spans(limitBytes, largeSlotPages(osPageBytes) * osPageBytes, SpanSize.LARGE, halvings),
        GrowthPlan.of(limitBytes, halvings),
        halvings);
  }

  /**
   * What holds the limit once: for memory whose touched pages stay resident until it is released.
   */
  static ReservationPlan smallest(long limitBytes, int osPageBytes) {
    return of(limitBytes, osPageBytes, Long.SIZE - 1);
  }

  /** The plan to try when this one could not be reserved, or null if nothing smaller would do. */
  public @Nullable ReservationPlan smaller(long limitBytes, int osPageBytes) {
    ReservationPlan next = of(limitBytes, osPageBytes, halvings + 1);
    return next.bytes() < bytes() ? next : null;
  }

  /** The first plan from this one on that takes no more than that; the smallest if none does. */
  ReservationPlan within(long bytes, long limitBytes, int osPageBytes) {
    ReservationPlan plan = this;
    for (ReservationPlan next = plan; next != null; ) {
      plan = next;
      next = plan.bytes() > bytes ? plan.smaller(limitBytes, osPageBytes) : null;
    }
    return plan;
  }

  /** Addresses in all, without what alignment adds. */
  public long bytes() {
    return runPages * pageBytes
        + roundUp((long) smallSpans * SpanSize.SMALL.bytes(), REGION_ALIGNMENT_BYTES)
        + (long) largeSpans * SpanSize.LARGE.bytes()
        + growth.bytes();
  }

  /** What the reservation guarantees, in a sentence for people. */
  public String guarantee() {
    return halvings == 0
        ? "no request within the bound is refused, whatever was allocated and released before it"
        : ("addresses halved %d times: a request within the bound can be refused when live runs are"
                + " scattered over more than %,d MiB of addresses, or more than %,d small or %,d"
                + " large slabs are pinned; blocks that find no room to grow are copied")
            .formatted(halvings, (runPages * pageBytes) >> 20, smallSpans, largeSpans);
  }

  /** On how many pages a slot of more than 4 KiB lies at least. */
  private static long largeSlotPages(int osPageBytes) {
    return osPageBytes <= 4 * 1024 ? 2 : 1;
  }

  private static int spans(long limitBytes, long pinnedBytes, SpanSize size, int halvings) {
    long spans = Math.max(limitBytes / size.bytes() + 1, (limitBytes / pinnedBytes) >> halvings);
    return (int) Math.min(MAX_SPANS, spans);
  }

  static long roundUp(long value, long unit) {
    return (value + unit - 1) / unit * unit;
  }
}
