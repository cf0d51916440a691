package dev.weir.lab.trace;

/**
 * What a whole trace adds up to.
 *
 * @param events how many events there are, without those that name a thread or a loss
 * @param allocations how many of them begin a block
 * @param allocatedBytes the sizes of all blocks
 * @param releasedBytes the sizes of the blocks that are released before the trace ends
 * @param peakLiveBytes the most bytes that are live at once
 * @param slots the most blocks that are live at once
 * @param pausedMicros the time that passes
 * @param threads how many threads the events are on
 * @param growths how many events give a block another size
 * @param older how many blocks began before the recording did
 * @param lost how many events are known to be missing
 */
public record TraceTotals(
    long events,
    long allocations,
    long allocatedBytes,
    long releasedBytes,
    long peakLiveBytes,
    int slots,
    long pausedMicros,
    int threads,
    long growths,
    long older,
    long lost) {

  /** Bytes that begin or end to live: what the progress of a replay is measured in. */
  public long movedBytes() {
    return allocatedBytes + releasedBytes;
  }
}
