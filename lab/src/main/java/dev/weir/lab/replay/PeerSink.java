package dev.weir.lab.replay;

import dev.weir.lab.peer.PeerActs;
import dev.weir.lab.report.JsonLines;
import dev.weir.lab.scenario.ProcessWatch;
import dev.weir.lab.scenario.Waiting;
import dev.weir.lab.trace.TracePhase;
import dev.weir.lab.trace.TraceSink;
import dev.weir.lab.trace.TraceTotals;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.DoubleConsumer;

/**
 * Passes one round of a trace on to a peer, and looks at fixed distances at what it holds. Used by
 * one thread.
 */
final class PeerSink implements TraceSink {
  private static final int SAMPLES = 1_024;

  /** A pause from which on what is held at its end counts as idle. */
  private static final long IDLE_MICROS = 2_000_000;

  private final PeerActs acts;
  private final ProcessWatch watch;
  private final Figures figures;
  private final long halfPeakLiveBytes;
  private final AtomicLong liveBytes;
  private final ReplayProgress progress;
  private final Series series = new Series();
  private final long sampleEveryEvents;
  private final long sampleEveryBytes;
  private int[] sizes = new int[64];
  private boolean[] live = new boolean[64];
  private long eventsSinceSample;
  private long bytesSinceSample;
  private final boolean pauses;
  private boolean isCounted = true;
  private boolean hasIdled;

  /**
   * Passes on to {@code acts}.
   *
   * @param pauses whether to make the trace's pauses, or one at the end if none of them is long
   */
  PeerSink(
      PeerActs acts,
      ProcessWatch watch,
      Figures figures,
      TraceTotals totals,
      AtomicLong liveBytes,
      boolean pauses,
      DoubleConsumer listener) {
    this.acts = acts;
    this.watch = watch;
    this.figures = figures;
    this.halfPeakLiveBytes = totals.peakLiveBytes() / 2;
    this.liveBytes = liveBytes;
    this.pauses = pauses;
    this.progress = new ReplayProgress(totals, pauses ? totals.pausedMicros() : 0, listener);
    this.sampleEveryEvents = Math.max(1, totals.events() / SAMPLES);
    this.sampleEveryBytes = Math.max(1, totals.movedBytes() / SAMPLES);
  }

  Series series() {
    return series;
  }

  @Override
  public void allocate(int slot, int bytes) throws IOException {
    if (slot >= sizes.length) {
      int length = Math.max(slot + 1, sizes.length * 2);
      sizes = Arrays.copyOf(sizes, length);
      live = Arrays.copyOf(live, length);
    }
    acts.allocate(slot, bytes);
    sizes[slot] = bytes;
    live[slot] = true;
    moved(bytes);
  }

  @Override
  public void release(int slot) throws IOException {
    acts.release(slot);
    live[slot] = false;
    moved(sizes[slot]);
  }

  @Override
  public void grow(int slot, int bytes) throws IOException {
    acts.resize(slot, bytes);
    int before = sizes[slot];
    sizes[slot] = bytes;
    moved(Math.abs(bytes - before));
  }

  @Override
  public void phase(TracePhase phase) {
    series.phase(phase.label(), progress.share());
    isCounted = phase.kind().counts() && phase.kind() != TracePhase.Kind.DROP;
  }

  @Override
  public void pause(long micros) throws IOException {
    if (!pauses) {
      return;
    }
    acts.await();
    Waiting.millis(TimeUnit.MICROSECONDS.toMillis(micros));
    progress.paused(micros);
    Sample sample = sample(acts.await(), /* inMean= */ false);
    if (micros >= IDLE_MICROS) {
      figures.idled(sample);
      hasIdled = true;
    }
  }

  /** Ends the round: releases what is live, and says how the peer is then. */
  Map<String, Object> end() throws IOException {
    if (!hasIdled) {
      pause(IDLE_MICROS);
    }
    for (int slot = 0; slot < live.length; slot++) {
      if (live[slot]) {
        acts.release(slot);
      }
    }
    return acts.await();
  }

  private void moved(int bytes) throws IOException {
    progress.moved(bytes);
    eventsSinceSample++;
    bytesSinceSample += bytes;
    boolean regular = eventsSinceSample >= sampleEveryEvents;
    if (regular || bytesSinceSample >= sampleEveryBytes) {
      eventsSinceSample = regular ? 0 : eventsSinceSample;
      bytesSinceSample = 0;
      Sample sample = sample(acts.await(), regular);
      if (isCounted) {
        figures.sampled(sample, halfPeakLiveBytes);
      }
      progress.tell();
    }
  }

  private Sample sample(Map<String, Object> said, boolean inMean) throws IOException {
    long now = JsonLines.number(said, "liveBytes");
    liveBytes.set(now);
    Sample sample =
        new Sample(
            progress.share(),
            now,
            Sample.UNKNOWN,
            JsonLines.number(said, "heldBytes"),
            watch.sample(),
            inMean);
    series.add(sample);
    return sample;
  }
}
