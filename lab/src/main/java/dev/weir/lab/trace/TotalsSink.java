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
        pausedMicros);
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
  public void phase(TracePhase phase) {
    events++;
  }

  @Override
  public void pause(long micros) {
    events++;
    pausedMicros += micros;
  }
}
