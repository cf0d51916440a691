package dev.weir.lab.trace;

import java.util.Arrays;

/** Adds a trace up. Not thread-safe. */
public final class TotalsSink implements TraceSink {
  private int[] sizes = new int[64];
  private long events;
  private long allocations;
  private long allocatedBytes;
  private long liveBytes;
  private long peakLiveBytes;
  private int slots;
  private long pausedMicros;
  private int threads = 1;
  private long growths;
  private long older;
  private long lost;
  private boolean isOlder;

  /** Begins at nothing. */
  public TotalsSink() {}

  /** What there was so far. */
  public TraceTotals totals() {
    return new TraceTotals(
        events,
        allocations,
        allocatedBytes,
        allocatedBytes - liveBytes,
        peakLiveBytes,
        slots,
        pausedMicros,
        threads,
        growths,
        older,
        lost);
  }

  @Override
  public void allocate(int slot, int bytes) {
    if (slot >= sizes.length) {
      sizes = Arrays.copyOf(sizes, Math.max(slot + 1, sizes.length * 2));
    }
    sizes[slot] = bytes;
    slots = Math.max(slots, slot + 1);
    events++;
    allocations++;
    older += isOlder ? 1 : 0;
    allocatedBytes += bytes;
    liveBytes += bytes;
    peakLiveBytes = Math.max(peakLiveBytes, liveBytes);
  }

  @Override
  public void release(int slot) {
    events++;
    liveBytes -= sizes[slot];
  }

  @Override
  public void grow(int slot, int bytes) {
    events++;
    growths++;
    long more = (long) bytes - sizes[slot];
    sizes[slot] = bytes;
    allocatedBytes += Math.max(0, more);
    liveBytes += more;
    peakLiveBytes = Math.max(peakLiveBytes, liveBytes);
  }

  @Override
  public void thread(int thread) {
    threads = Math.max(threads, thread + 1);
  }

  @Override
  public void lost(long count) {
    lost += count;
  }

  @Override
  public void phase(TracePhase phase) {
    events++;
    isOlder = phase.kind() == TracePhase.Kind.OLDER;
  }

  @Override
  public void pause(long micros) {
    events++;
    pausedMicros += micros;
  }
}
