package dev.weir.lab.replay;

import dev.weir.lab.trace.TracePhase;
import dev.weir.lab.trace.TraceSink;
import dev.weir.lab.trace.TraceSource;
import dev.weir.lab.trace.TraceTotals;
import java.io.IOException;
import java.util.Arrays;

/**
 * A whole trace in arrays, for several threads to read: what happens to which block, as how many-th
 * event of that block, on which thread, and when.
 */
final class LoadedTrace implements TraceSink {
  /** 768 MB of Java heap hold so many, with what a replay needs of each. */
  static final int MOST_EVENTS = 8_000_000;

  static final int RELEASE = 0;
  static final int ALLOCATE = 1;
  static final int GROW = 2;

  private final TraceTotals totals;
  private final ReplayTime time;
  private int[] slotBlocks = new int[64];
  private int[] blockEvents = new int[64];
  private byte[] kinds = new byte[1024];
  private int[] blocks = new int[1024];
  private int[] turns = new int[1024];
  private int[] sizes = new int[1024];
  private int[] threads = new int[1024];
  private long[] micros = new long[1024];
  private int events;
  private int blockCount;
  private int olderEvents;
  private int currentThread;
  private long now;
  private boolean isOlder;

  private LoadedTrace(TraceTotals totals, ReplayTime time) {
    this.totals = totals;
    this.time = time;
  }

  /**
   * Reads all that is left of a source.
   *
   * @throws IOException if it cannot be read, or is too long
   */
  static LoadedTrace of(TraceSource source, ReplayTime time) throws IOException {
    if (source.totals().events() > MOST_EVENTS) {
      throw new IOException(
          "%,d events are more than the %,d that are replayed on several threads: --threads one"
              .formatted(source.totals().events(), MOST_EVENTS));
    }
    LoadedTrace trace = new LoadedTrace(source.totals(), time);
    source.drainTo(trace);
    return trace;
  }

  TraceTotals totals() {
    return totals;
  }

  /** The same, with no more events than there are to play. */
  TraceTotals played() {
    return new TraceTotals(
        events,
        totals.allocations(),
        totals.allocatedBytes(),
        totals.releasedBytes(),
        totals.peakLiveBytes(),
        totals.slots(),
        totals.pausedMicros(),
        totals.threads(),
        totals.growths(),
        totals.older(),
        totals.lost());
  }

  int events() {
    return events;
  }

  /** How many of the first events set up what is older than the trace. */
  int olderEvents() {
    return olderEvents;
  }

  int blocks() {
    return blockCount;
  }

  int threads() {
    return totals.threads();
  }

  int kind(int event) {
    return kinds[event];
  }

  int block(int event) {
    return blocks[event];
  }

  /** How many events of the same block come before this one. */
  int turn(int event) {
    return turns[event];
  }

  /** What the block has from then on; 0 of a release. */
  int bytes(int event) {
    return sizes[event];
  }

  int threadOf(int event) {
    return threads[event];
  }

  /** Since the beginning. */
  long micros(int event) {
    return micros[event];
  }

  @Override
  public void allocate(int slot, int bytes) {
    if (slot >= slotBlocks.length) {
      slotBlocks = Arrays.copyOf(slotBlocks, Math.max(slot + 1, slotBlocks.length * 2));
    }
    slotBlocks[slot] = blockCount++;
    add(ALLOCATE, slot, bytes);
    olderEvents = isOlder ? events : olderEvents;
  }

  @Override
  public void release(int slot) {
    add(RELEASE, slot, 0);
  }

  @Override
  public void grow(int slot, int bytes) {
    add(GROW, slot, bytes);
  }

  @Override
  public void thread(int thread) {
    currentThread = thread;
  }

  @Override
  public void phase(TracePhase phase) {
    isOlder = phase.kind() == TracePhase.Kind.OLDER;
  }

  @Override
  public void pause(long pauseMicros) {
    now += time == ReplayTime.RECORDED ? pauseMicros : CompressedTime.compressed(pauseMicros);
  }

  private void add(int kind, int slot, int bytes) {
    if (events == kinds.length) {
      int length = events * 2;
      kinds = Arrays.copyOf(kinds, length);
      blocks = Arrays.copyOf(blocks, length);
      turns = Arrays.copyOf(turns, length);
      sizes = Arrays.copyOf(sizes, length);
      threads = Arrays.copyOf(threads, length);
      micros = Arrays.copyOf(micros, length);
    }
    int block = slotBlocks[slot];
    if (block >= blockEvents.length) {
      blockEvents = Arrays.copyOf(blockEvents, Math.max(block + 1, blockEvents.length * 2));
    }
    kinds[events] = (byte) kind;
    blocks[events] = block;
    turns[events] = blockEvents[block]++;
    sizes[events] = bytes;
    threads[events] = currentThread;
    micros[events] = now;
    events++;
  }
}
