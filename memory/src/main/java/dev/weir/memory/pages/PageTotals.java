package dev.weir.memory.pages;

/**
 * The page heap's counters at one moment, in bytes.
 *
 * @param limitBytes the limit of resident bytes
 * @param reservedBytes addresses in the regions
 * @param liveBytes pages in use
 * @param dirtyBytes pages free but resident
 * @param promisedBytes pages promised and not yet taken
 * @param runBytes live pages that belong to runs and to blocks in rooms
 * @param runs live runs, those in rooms too
 * @param freeRuns free runs in the run region
 * @param peakResidentBytes the most that live and dirty pages ever were
 * @param purgedBytes given back to the operating system so far
 */
public record PageTotals(
    long limitBytes,
    long reservedBytes,
    long liveBytes,
    long dirtyBytes,
    long promisedBytes,
    long runBytes,
    long runs,
    int freeRuns,
    long peakResidentBytes,
    long purgedBytes) {
  /** Live and dirty pages. */
  public long residentBytes() {
    return liveBytes + dirtyBytes;
  }
}
