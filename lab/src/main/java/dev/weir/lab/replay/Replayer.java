package dev.weir.lab.replay;

import dev.weir.lab.contender.BlockStore;
import dev.weir.lab.contender.Writing;
import dev.weir.lab.memory.LivePages;
import dev.weir.lab.memory.ThreadFaults;
import dev.weir.lab.trace.TracePhase;
import dev.weir.lab.trace.TraceSink;
import dev.weir.lab.trace.TraceTotals;
import java.io.IOException;
import java.util.Arrays;
import java.util.OptionalLong;

/**
 * Does what a trace says with the blocks of one allocator, writes to each block when it is
 * allocated, and looks at fixed distances at what is held. Used by one thread.
 *
 * <p>Events are taken in batches: each is played with the clock running and nothing else to do, and
 * then accounted for without it. A batch ends where a sample is due.
 */
final class Replayer implements TraceSink {
  /**
   * A replay is sampled so often at equal distances in events, and so often at equal distances in
   * bytes, so that neither many small blocks nor few large ones go by unseen.
   */
  private static final int SAMPLES = 2_048;

  /** The kernel's figure costs up to a millisecond where it is that of a range of addresses. */
  private static final int KERNEL_EVERY = 4;

  private static final long NOT_LIVE = 0;

  private final BlockStore store;
  private final LivePages pages;
  private final KernelGauge kernel;
  private final ReplayProgress progress;
  private final EventBatch batch;
  private final long halfPeakLiveBytes;
  private final long sampleEveryEvents;
  private final long sampleEveryBytes;
  private final PhaseLog phases;
  private final Series series = new Series();

  /** What the trace has in each slot, also where that was refused. */
  private int[] wanted = new int[64];

  private long[] addresses = new long[64];
  private int[] sizes = new int[64];
  private long liveBytes;
  private long eventsSinceSample;
  private long bytesSinceSample;
  private long batchBytes;
  private int samples;
  private long peakExcessBytes = Sample.UNKNOWN;
  private long pauseMicros;

  Replayer(
      BlockStore store,
      LivePages pages,
      Writing writing,
      KernelGauge kernel,
      TraceTotals totals,
      ReplayProgress progress) {
    this.store = store;
    this.pages = pages;
    this.kernel = kernel;
    this.progress = progress;
    this.batch = new EventBatch(store, writing);
    this.phases = new PhaseLog(store.boundBytes().isPresent());
    this.halfPeakLiveBytes = totals.peakLiveBytes() / 2;
    this.sampleEveryEvents = Math.max(1, totals.events() / SAMPLES);
    this.sampleEveryBytes = Math.max(1, totals.movedBytes() / SAMPLES);
  }

  /** Begins to count, on the thread that will replay. */
  void begin() throws IOException {
    phases.begin(new TracePhase("all", TracePhase.Kind.COUNTED), ThreadFaults.minor());
  }

  @Override
  public void allocate(int slot, int bytes) throws IOException {
    if (slot >= sizes.length) {
      int length = Math.max(slot + 1, sizes.length * 2);
      sizes = Arrays.copyOf(sizes, length);
      addresses = Arrays.copyOf(addresses, length);
      wanted = Arrays.copyOf(wanted, length);
    }
    wanted[slot] = bytes;
    batch.allocate(slot, bytes);
    taken(bytes);
  }

  @Override
  public void release(int slot) throws IOException {
    batch.release(slot);
    taken(wanted[slot]);
  }

  /** A block that was refused stays refused. */
  @Override
  public void grow(int slot, int bytes) throws IOException {
    int before = wanted[slot];
    wanted[slot] = bytes;
    batch.grow(slot, bytes);
    taken(Math.abs(bytes - before));
  }

  /** Plays what is full, or what ends where a sample is due. */
  private void taken(int bytes) throws IOException {
    batchBytes += bytes;
    if (batch.isFull()
        || eventsSinceSample + batch.count() >= sampleEveryEvents
        || bytesSinceSample + batchBytes >= sampleEveryBytes) {
      play();
    }
  }

  /** Plays the events that have come by now, and accounts for them. */
  private void play() throws IOException {
    if (batch.count() == 0) {
      return;
    }
    phases.figures().played(batch.count(), batch.play());
    for (int event = 0; event < batch.count(); event++) {
      account(event);
    }
    batch.clear();
    batchBytes = 0;
    boolean regular = eventsSinceSample >= sampleEveryEvents;
    if (regular || bytesSinceSample >= sampleEveryBytes) {
      eventsSinceSample = regular ? 0 : eventsSinceSample;
      bytesSinceSample = 0;
      boolean own = store.residentBytes().isPresent();
      take(sample(/* kernelToo= */ !own || samples % KERNEL_EVERY == 0, regular));
    }
  }

  private void account(int event) {
    int slot = batch.slot(event);
    int bytes = batch.bytes(event);
    long address = batch.address(event);
    if (address == EventBatch.SKIPPED) {
      return;
    }
    boolean isGrowth = batch.isGrowth(event);
    if (!isGrowth && !batch.isRelease(event)) {
      phases.figures().allocated();
      addresses[slot] = NOT_LIVE;
      sizes[slot] = 0;
    }
    int before = sizes[slot];
    if (address == BlockStore.REFUSED && !batch.isRelease(event)) {
      phases.figures().refused(isWithinBound(bytes));
      moved(isGrowth ? 0 : bytes);
      return;
    }
    if (addresses[slot] != NOT_LIVE) {
      pages.remove(addresses[slot], before);
    }
    addresses[slot] = address;
    sizes[slot] = bytes;
    liveBytes += bytes - before;
    if (bytes > 0) {
      pages.add(address, bytes);
    }
    moved(Math.abs(bytes - before));
  }

  private void moved(int bytes) {
    progress.moved(bytes);
    eventsSinceSample++;
    bytesSinceSample += bytes;
  }

  @Override
  public void phase(TracePhase phase) throws IOException {
    play();
    phases.begin(phase, ThreadFaults.minor());
    series.phase(phase.label(), progress.share());
  }

  @Override
  public void pause(long micros) throws IOException {
    play();
    pauseMicros = micros;
  }

  /**
   * The pause that the last event asked for, in microseconds, or 0; it is for the caller to make.
   */
  long takePause() {
    long micros = pauseMicros;
    pauseMicros = 0;
    return micros;
  }

  /** A part of a pause has passed. */
  void paused(long micros) throws IOException {
    progress.paused(micros);
    series.add(sample(/* kernelToo= */ true, /* inMean= */ false));
    progress.tell();
  }

  /**
   * A pause has passed, long enough to look at what is still held.
   *
   * @return whether that counts, as it does in all phases but those that warm up
   */
  boolean idled() throws IOException {
    phases.figures().idled(sample(/* kernelToo= */ true, /* inMean= */ false));
    return !phases.isWarmingUp();
  }

  /** Ends: releases what is live. */
  ReplayResult end() throws IOException {
    play();
    phases.end(ThreadFaults.minor());
    batch.releaseAll();
    for (int slot = 0; slot < addresses.length; slot++) {
      if (addresses[slot] != NOT_LIVE) {
        pages.remove(addresses[slot], sizes[slot]);
      }
    }
    return new ReplayResult(phases, series, samples, peakExcessBytes);
  }

  private boolean isWithinBound(int bytes) {
    OptionalLong bound = store.boundBytes();
    long requestBytes = Math.ceilDiv(bytes, LivePages.PAGE_BYTES) * (long) LivePages.PAGE_BYTES;
    return bound.isPresent() && pages.bytes() + requestBytes <= bound.getAsLong();
  }

  private Sample sample(boolean kernelToo, boolean inMean) throws IOException {
    // In this order: nothing but a purge is under way, which only lowers either figure.
    long residentBytes = store.residentBytes().orElse(Sample.UNKNOWN);
    long rssBytes = kernelToo && store.isReal() ? kernel.rssBytes() : Sample.UNKNOWN;
    if (rssBytes != Sample.UNKNOWN && store.addresses().isPresent()) {
      peakExcessBytes = Math.max(peakExcessBytes, Math.max(0, rssBytes - residentBytes));
    }
    return new Sample(progress.share(), liveBytes, pages.bytes(), residentBytes, rssBytes, inMean);
  }

  private void take(Sample sample) {
    samples++;
    series.add(sample);
    if (phases.figures().sampled(sample, halfPeakLiveBytes)) {
      store.occupancy().ifPresent(phases.figures()::peakWasMadeOf);
    }
    progress.tell();
  }
}
