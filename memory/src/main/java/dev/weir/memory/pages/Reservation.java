package dev.weir.memory.pages;

import dev.weir.memory.os.AddressSpace;
import dev.weir.memory.os.NativeMemory;
import dev.weir.memory.os.ReservationFailedError;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The range of addresses that a page heap owns, and where its regions begin. It goes back to the
 * system by {@link #release}, or when nothing refers to it and its slices any more.
 */
public final class Reservation {
  private static final PoolAddresses POOLS = new PoolAddresses();

  private final ReservationPlan plan;
  private final Range range;
  private final MemorySegment memory;

  private Reservation(ReservationPlan plan, Range range) {
    this.plan = plan;
    this.range = range;
    this.memory = AddressSpace.owned(range.address, range.bytes, range);
  }

  /** The addresses alone: what gives them back must not refer to what keeps them. */
  private static final class Range implements Runnable {
    private final NativeMemory os;
    private final long bytes;
    private final AtomicBoolean released = new AtomicBoolean();
    private long address;

    Range(NativeMemory os, long bytes) {
      this.os = os;
      this.bytes = bytes;
    }

    void reserve() {
      address = os.reserve(bytes);
      POOLS.add(bytes);
    }

    @Override
    public void run() {
      if (released.compareAndSet(false, true)) {
        POOLS.remove(bytes);
        os.release(address, bytes);
      }
    }
  }

  /**
   * Reserves what the limit asks for, or the largest part of it that the process may map and that
   * leaves enough to others. The least is three times the limit.
   *
   * @throws ReservationFailedError if not even that can be mapped; it names what other pools hold
   */
  public static Reservation reserve(NativeMemory os, long limitBytes) {
    int osPageBytes = os.pageBytes();
    ReservationPlan plan =
        os.canPurge()
            ? ReservationPlan.of(limitBytes, osPageBytes)
            : ReservationPlan.smallest(limitBytes, osPageBytes);
    plan = plan.within(POOLS.shareBytes(os.freeAddressBytes()), limitBytes, osPageBytes);
    while (true) {
      long bytes =
          ReservationPlan.roundUp(
              plan.bytes() + ReservationPlan.REGION_ALIGNMENT_BYTES,
              ReservationPlan.REGION_ALIGNMENT_BYTES);
      try {
        return reserved(plan, new Range(os, bytes));
      } catch (ReservationFailedError e) {
        ReservationPlan smaller = plan.smaller(limitBytes, osPageBytes);
        if (smaller == null) {
          throw new ReservationFailedError(e.getMessage() + POOLS.advice());
        }
        plan = smaller;
      }
    }
  }

  private static Reservation reserved(ReservationPlan plan, Range range) {
    range.reserve();
    Reservation reservation = null;
    try {
      reservation = new Reservation(plan, range);
      return reservation;
    } finally {
      if (reservation == null) {
        range.run(); // The Java heap is full.
      }
    }
  }

  /** What fits in it. */
  public ReservationPlan plan() {
    return plan;
  }

  /** Its first address. */
  public long address() {
    return range.address;
  }

  /** Its length. */
  public long bytes() {
    return range.bytes;
  }

  /** A part of it as a segment that keeps the reservation. */
  public MemorySegment slice(long address, long bytes) {
    return memory.asSlice(address - range.address, bytes);
  }

  /** Gives the addresses back, once: whatever still refers to them must not be used again. */
  public void release() {
    range.run();
  }

  long largeSpanBase() {
    return ReservationPlan.roundUp(address(), ReservationPlan.REGION_ALIGNMENT_BYTES);
  }

  long smallSpanBase() {
    return largeSpanBase() + (long) plan.largeSpans() * SpanSize.LARGE.bytes();
  }

  long runBase() {
    return ReservationPlan.roundUp(
        smallSpanBase() + (long) plan.smallSpans() * SpanSize.SMALL.bytes(),
        ReservationPlan.REGION_ALIGNMENT_BYTES);
  }

  long growthBase() {
    return ReservationPlan.roundUp(
        runBase() + plan.runPages() * plan.pageBytes(), GrowthPlan.ALIGNMENT_BYTES);
  }
}
