package dev.weir.memory.pages;

/**
 * The root's ledger: how many bytes are live, dirty and promised, against the limit.
 *
 * <pre>
 *   resident = live + dirty              resident          ≤ limit   at every moment
 *                                        live + promised   ≤ limit − reserve   for all but small requests
 * </pre>
 *
 * <p>Bytes, in whole OS pages. Not thread-safe: the page heap's lock guards it.
 */
final class ResidentLedger {
  private long limitBytes;
  private final long reserveBytes;
  private long liveBytes;
  private long dirtyBytes;
  private long promisedBytes;
  private long peakResidentBytes;

  ResidentLedger(long limitBytes, long reserveBytes) {
    this.limitBytes = limitBytes;
    this.reserveBytes = reserveBytes;
  }

  long limitBytes() {
    return limitBytes;
  }

  long liveBytes() {
    return liveBytes;
  }

  long dirtyBytes() {
    return dirtyBytes;
  }

  long promisedBytes() {
    return promisedBytes;
  }

  long residentBytes() {
    return liveBytes + dirtyBytes;
  }

  long peakResidentBytes() {
    return peakResidentBytes;
  }

  /**
   * Whether so many more bytes may become live (or be promised) once everything dirty is purged.
   */
  boolean admits(long bytes, Lane lane) {
    long ceiling = lane == Lane.SMALL ? limitBytes : limitBytes - reserveBytes;
    return bytes <= ceiling - liveBytes - promisedBytes;
  }

  /** The most that {@link #admits} could ever say yes to in this lane. */
  long largestAdmissible(Lane lane) {
    return lane == Lane.SMALL ? limitBytes : limitBytes - reserveBytes;
  }

  /**
   * How many dirty bytes must be purged before so many clean bytes can become resident; not
   * positive: none.
   */
  long excess(long cleanBytes) {
    return residentBytes() + cleanBytes - limitBytes;
  }

  /** Clean bytes and dirty bytes become live. */
  void allocate(long cleanBytes, long formerlyDirtyBytes) {
    liveBytes += cleanBytes + formerlyDirtyBytes;
    dirtyBytes -= formerlyDirtyBytes;
    peakResidentBytes = Math.max(peakResidentBytes, residentBytes());
  }

  /** Live bytes become dirty. */
  void free(long bytes) {
    liveBytes -= bytes;
    dirtyBytes += bytes;
  }

  /** Dirty bytes were given back to the operating system. */
  void purged(long bytes) {
    dirtyBytes -= bytes;
  }

  /** Live bytes that no block lies on were given back to the operating system. */
  void purgedLive(long bytes) {
    liveBytes -= bytes;
  }

  void promise(long bytes) {
    promisedBytes += bytes;
  }

  /** A promise was kept or given back. */
  void settlePromise(long bytes) {
    promisedBytes -= bytes;
  }

  void setLimit(long bytes) {
    limitBytes = bytes;
  }

  void resetPeak() {
    peakResidentBytes = residentBytes();
  }
}
