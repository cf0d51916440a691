package dev.weir.memory.pages;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The root's ledger: how many bytes are live, dirty and promised, against the limit.
 *
 * <pre>
 *   resident = live + dirty              resident          ≤ limit   at every moment
 *                                        live + promised   ≤ limit − reserve   for all but small requests
 *                                        live + promised   ≤ limit − reserve − headroom   for promises
 *                                        live + promised + gathered ≤ limit − reserve   for others while one gathers
 *                                        resident + cleaned ≤ limit   for what they make resident, but out of promises
 *   small = what is promised to small promises + what is live of it
 *                                        live + promised − small + max(small, limit / 16)
 *                                                          ≤ limit − reserve − headroom   for larger ones
 * </pre>
 *
 * <p>Bytes, in whole OS pages. Not thread-safe: the page heap's lock guards it, but for {@link
 * #liveBytesOpaque}.
 */
final class ResidentLedger {
  /** 2 MiB: receive buffers of 64 KiB for 32 event loops; a 16th of a limit below 32 MiB. */
  private static final long MIN_HEADROOM_BYTES = 2L << 20;

  /** The part of the limit that small promises have of their own. */
  private static final int SMALL_PROMISES_SHARE = 16;

  private static final VarHandle LIVE_BYTES;

  static {
    try {
      LIVE_BYTES =
          MethodHandles.lookup().findVarHandle(ResidentLedger.class, "liveBytes", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private long limitBytes;
  private long reserveBytes;
  private long liveBytes;
  private long dirtyBytes;
  private long promisedBytes;

  /** Of small promises: promised, and live in blocks that were allocated out of them. */
  private long smallPromisesBytes;

  private long peakResidentBytes;

  /** The most that was live since the last {@link #age}, and between that and the one before. */
  private long youngPeakLiveBytes;

  private long oldPeakLiveBytes;
  private boolean closed;

  /** Who gathers room for a request; null if nobody does. */
  private @Nullable Thread gatherer;

  /** How much room; 0 if nobody gathers any. */
  private long gatheredBytes;

  /** What of that has been purged already, and is not to become resident for others. */
  private long cleanedBytes;

  private long gatheringSinceNanos;

  /** Of used bytes: outside of it somebody wants to be told. */
  private long bandFromBytes;

  private long bandToBytes = Long.MAX_VALUE;
  private boolean bandLeft;

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

  /** As {@link #liveBytes}, without the lock: what was live a moment ago. */
  long liveBytesOpaque() {
    return (long) LIVE_BYTES.getOpaque(this);
  }

  private void addLiveOpaque(long bytes) {
    LIVE_BYTES.setOpaque(this, liveBytes + bytes);
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

  /** Live and promised: what cannot be given back at once. */
  long usedBytes() {
    return liveBytes + promisedBytes;
  }

  /** Sets the band of used bytes that nobody wants to hear of: from, and below to. */
  void setBand(long fromBytes, long toBytes) {
    bandFromBytes = fromBytes;
    bandToBytes = toBytes;
    bandLeft = false;
  }

  /** Whether used bytes are outside the band for the first time since it was set. */
  boolean leaveBand() {
    long used = usedBytes();
    if (used >= bandFromBytes && used < bandToBytes) {
      return false;
    }
    setBand(0, Long.MAX_VALUE);
    bandLeft = true;
    return true;
  }

  /** Whether they have left it. */
  boolean hasLeftBand() {
    return leaveBand() || bandLeft;
  }

  long peakResidentBytes() {
    return peakResidentBytes;
  }

  /**
   * Whether so many more bytes may become live (or be promised) once everything dirty is purged.
   */
  boolean admits(long bytes, Lane lane) {
    long freeBytes =
        switch (lane) {
          case PROMISE ->
              largestAdmissible(lane)
                  - usedBytes()
                  + Math.min(smallPromisesBytes, smallShareBytes());
          case OWN_SMALL_PROMISE ->
              Math.min(
                  smallShareBytes() - smallPromisesBytes, largestAdmissible(lane) - usedBytes());
          case SMALL_PROMISE -> largestAdmissible(lane) - usedBytes();
          case SMALL, LARGE -> roomBytes(lane);
        };
    return !closed && bytes <= freeBytes;
  }

  /** While another thread gathers, nothing comes out of the reserve either. */
  private long roomBytes(Lane lane) {
    return isGatheredByAnother()
        ? largestAdmissible(Lane.LARGE) - usedBytes() - gatheredBytes
        : largestAdmissible(lane) - usedBytes();
  }

  @SuppressWarnings("ReferenceEquality") // a thread is its identity
  private boolean isGatheredByAnother() {
    return gatherer != null && gatherer != Thread.currentThread();
  }

  /** The most that {@link #admits} could ever say yes to in this lane. */
  long largestAdmissible(Lane lane) {
    return switch (lane) {
      case SMALL -> limitBytes;
      case LARGE -> limitBytes - reserveBytes;
      case PROMISE -> limitBytes - reserveBytes - headroomBytes() - smallShareBytes();
      case SMALL_PROMISE, OWN_SMALL_PROMISE -> limitBytes - reserveBytes - headroomBytes();
    };
  }

  private long smallShareBytes() {
    return limitBytes / SMALL_PROMISES_SHARE;
  }

  private long headroomBytes() {
    return Math.max(limitBytes / 128, Math.min(limitBytes / 16, MIN_HEADROOM_BYTES));
  }

  /**
   * How many dirty bytes must be purged before so many clean bytes can become resident; not
   * positive: none. What another thread has cleaned for itself is not for them.
   */
  long excess(long cleanBytes) {
    return excessOfPromised(cleanBytes) + (isGatheredByAnother() ? cleanedBytes : 0);
  }

  /**
   * So many bytes can become resident now: if the calling thread gathers, they are its own until
   * that ends. Else it would purge for others again and again, who come before its next attempt.
   */
  void cleaned(long bytes) {
    if (gatherer != null && !isGatheredByAnother()) {
      cleanedBytes = Math.min(bytes, gatheredBytes);
    }
  }

  /** The {@link #excess} of bytes that were promised: whoever gathers, they come first. */
  long excessOfPromised(long cleanBytes) {
    return residentBytes() + cleanBytes - limitBytes;
  }

  /** Clean bytes and dirty bytes become live. */
  void allocate(long cleanBytes, long formerlyDirtyBytes) {
    addLiveOpaque(cleanBytes + formerlyDirtyBytes);
    dirtyBytes -= formerlyDirtyBytes;
    peakResidentBytes = Math.max(peakResidentBytes, residentBytes());
    youngPeakLiveBytes = Math.max(youngPeakLiveBytes, liveBytes);
  }

  /**
   * The most that was live since the {@link #age} before the last, less what was purged inside
   * slabs since then: no block lay on that.
   */
  long peakLiveBytes() {
    return Math.max(youngPeakLiveBytes, oldPeakLiveBytes);
  }

  /** Begins another half of a decay time. */
  void age() {
    oldPeakLiveBytes = youngPeakLiveBytes;
    youngPeakLiveBytes = liveBytes;
  }

  /** Live bytes become dirty. */
  void free(long bytes) {
    addLiveOpaque(-bytes);
    dirtyBytes += bytes;
  }

  /** Dirty bytes were given back to the operating system. */
  void purged(long bytes) {
    dirtyBytes -= bytes;
  }

  /** Live bytes that no block lies on were given back to the operating system. */
  void purgedLive(long bytes) {
    addLiveOpaque(-bytes);
    youngPeakLiveBytes = Math.max(liveBytes, youngPeakLiveBytes - bytes);
    oldPeakLiveBytes = Math.max(liveBytes, oldPeakLiveBytes - bytes);
  }

  /** The calling thread begins to gather so many bytes, if no other has within the patience. */
  boolean tryBeginGathering(long bytes, long nowNanos, long patienceNanos) {
    if (gatherer != null && nowNanos - gatheringSinceNanos < patienceNanos) {
      return false;
    }
    gatherer = Thread.currentThread();
    gatheredBytes = bytes;
    cleanedBytes = 0;
    gatheringSinceNanos = nowNanos;
    return true;
  }

  /** The calling thread goes on gathering, unless another has begun meanwhile. */
  @SuppressWarnings("ReferenceEquality") // a thread is its identity
  boolean renewGathering(long nowNanos) {
    if (gatherer != Thread.currentThread()) {
      return false;
    }
    gatheringSinceNanos = nowNanos;
    return true;
  }

  /** Ends it, if no other thread has begun meanwhile. */
  @SuppressWarnings("ReferenceEquality") // a thread is its identity
  void endGathering() {
    if (gatherer == Thread.currentThread()) {
      gatherer = null;
      gatheredBytes = 0;
      cleanedBytes = 0;
    }
  }

  void promise(long bytes, Lane lane) {
    promisedBytes += bytes;
    smallPromisesBytes += lane.isSmallPromise() ? bytes : 0;
  }

  /** A promise was given back. */
  void returnPromise(long bytes, Lane lane) {
    promisedBytes -= bytes;
    freed(bytes, lane);
  }

  /** A promise was kept, by a run; or, negative, that run was given back unused. */
  void keepPromise(long bytes) {
    promisedBytes -= bytes;
  }

  /** A run that was allocated in this lane has been freed. */
  void freed(long bytes, Lane lane) {
    smallPromisesBytes -= lane.isSmallPromise() ? bytes : 0;
  }

  long smallPromisesBytes() {
    return smallPromisesBytes;
  }

  /** Changes the limits. What is live stays so, though it be more. */
  void setLimit(long newLimitBytes, long newReserveBytes) {
    limitBytes = newLimitBytes;
    reserveBytes = newReserveBytes;
  }

  /** Admits nothing from now on; promises may be kept. */
  void close() {
    closed = true;
  }

  boolean isClosed() {
    return closed;
  }
}
