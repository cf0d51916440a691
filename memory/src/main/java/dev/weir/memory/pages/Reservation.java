package dev.weir.memory.pages;

import dev.weir.memory.os.NativeMemory;
import dev.weir.memory.os.ReservationFailedError;

/**
 * The range of addresses that a page heap owns, and where its regions begin.
 *
 * @param plan what fits in it
 * @param address its first address
 * @param bytes its length
 */
public record Reservation(ReservationPlan plan, long address, long bytes) {
  /**
   * Reserves what the limit asks for, or the largest part of it that the process may map.
   *
   * @throws ReservationFailedError if not even the limit itself can be mapped
   */
  public static Reservation reserve(NativeMemory os, long limitBytes) {
    int osPageBytes = os.pageBytes();
    ReservationPlan plan =
        os.canPurge()
            ? ReservationPlan.of(limitBytes, osPageBytes)
            : ReservationPlan.smallest(limitBytes, osPageBytes);
    while (true) {
      long bytes =
          ReservationPlan.roundUp(
              plan.bytes() + ReservationPlan.REGION_ALIGNMENT_BYTES,
              ReservationPlan.REGION_ALIGNMENT_BYTES);
      try {
        return new Reservation(plan, os.reserve(bytes), bytes);
      } catch (ReservationFailedError e) {
        ReservationPlan smaller = plan.smaller(limitBytes, osPageBytes);
        if (smaller == null) {
          throw e;
        }
        plan = smaller;
      }
    }
  }

  /** Gives the addresses back. */
  public void release(NativeMemory os) {
    os.release(address, bytes);
  }

  long largeSpanBase() {
    return ReservationPlan.roundUp(address, ReservationPlan.REGION_ALIGNMENT_BYTES);
  }

  long smallSpanBase() {
    return largeSpanBase() + (long) plan.largeSpans() * SpanSize.LARGE.bytes();
  }

  long runBase() {
    return ReservationPlan.roundUp(
        smallSpanBase() + (long) plan.smallSpans() * SpanSize.SMALL.bytes(),
        ReservationPlan.REGION_ALIGNMENT_BYTES);
  }
}
