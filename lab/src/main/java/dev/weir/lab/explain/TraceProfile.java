package dev.weir.lab.explain;

import dev.weir.lab.trace.TracePhase;
import dev.weir.lab.trace.TraceSink;
import java.util.Arrays;

/** What a trace's buffers are like: sizes, lifetimes, threads, growth. Not thread-safe. */
final class TraceProfile implements TraceSink {
  /** Shorter is the life of a buffer that serves one read or write. */
  private static final long SHORT_MICROS = 10_000;

  /** Larger does not fit into a chunk of Netty's allocators (4.1.75 and later). */
  static final int CHUNK_BYTES = 4 << 20;

  private int[] sizes = new int[64];
  private int[] threads = new int[64];
  private long[] begins = new long[64];
  private boolean[] live = new boolean[64];
  private int thread;
  private long now;
  private boolean isOlder;

  private long buffers;
  private long bytes;
  private long largeBytes;
  private long growths;
  private long releases;
  private long releasedElsewhere;
  private long releasedSoon;
  private long liveBytes;
  private long peakLiveBytes;
  private double sumOfLive;
  private long events;

  @Override
  public void allocate(int slot, int size) {
    if (slot >= sizes.length) {
      int length = Math.max(slot + 1, sizes.length * 2);
      sizes = Arrays.copyOf(sizes, length);
      threads = Arrays.copyOf(threads, length);
      begins = Arrays.copyOf(begins, length);
      live = Arrays.copyOf(live, length);
    }
    sizes[slot] = size;
    threads[slot] = thread;
    begins[slot] = isOlder ? -SHORT_MICROS : now;
    live[slot] = true;
    buffers++;
    bytes += size;
    largeBytes += size > CHUNK_BYTES ? size : 0;
    liveBytes += size;
    counted();
  }

  @Override
  public void release(int slot) {
    live[slot] = false;
    liveBytes -= sizes[slot];
    releases++;
    releasedElsewhere += threads[slot] == thread ? 0 : 1;
    releasedSoon += now - begins[slot] < SHORT_MICROS ? 1 : 0;
    counted();
  }

  @Override
  public void grow(int slot, int size) {
    liveBytes += size - sizes[slot];
    sizes[slot] = size;
    growths++;
    counted();
  }

  private void counted() {
    peakLiveBytes = Math.max(peakLiveBytes, liveBytes);
    sumOfLive += liveBytes;
    events++;
  }

  @Override
  public void thread(int number) {
    thread = number;
  }

  @Override
  public void phase(TracePhase phase) {
    isOlder = phase.kind() == TracePhase.Kind.OLDER;
  }

  @Override
  public void pause(long micros) {
    now += micros;
  }

  long buffers() {
    return buffers;
  }

  long meanBytes() {
    return bytes / Math.max(1, buffers);
  }

  long peakLiveBytes() {
    return peakLiveBytes;
  }

  double seconds() {
    return now / 1e6;
  }

  /** The most that is live over the mean, taken over events. */
  double burst() {
    return sumOfLive == 0 ? 1 : peakLiveBytes / (sumOfLive / events);
  }

  /** What part of all bytes are buffers larger than a chunk. */
  double largePart() {
    return (double) largeBytes / Math.max(1, bytes);
  }

  double growthPart() {
    return (double) growths / Math.max(1, buffers);
  }

  /** What part of the releases are by another thread than the allocation. */
  double elsewherePart() {
    return (double) releasedElsewhere / Math.max(1, releases);
  }

  /** What part of the releases come within 10 ms. */
  double soonPart() {
    return (double) releasedSoon / Math.max(1, releases);
  }

  /** What part of the most that is live is live at the end. */
  double leftPart() {
    return (double) liveBytes / Math.max(1, peakLiveBytes);
  }
}
