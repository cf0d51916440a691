package dev.weir.lab.replay;

import dev.weir.lab.contender.Writing;
import dev.weir.lab.memory.LivePages;
import dev.weir.lab.subject.AllocatorUnderTest;
import dev.weir.lab.subject.MemorySampler;
import io.netty.buffer.ByteBuf;
import io.netty.channel.DefaultEventLoop;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Replays a trace on as many event loops as it was recorded on. Used by one thread, which starts
 * the loops' work and looks at the memory in between.
 */
/*
 * The trace is cut into windows of 1,024 events or a millisecond. Within one, each loop plays its events as fast as it can; it
 * waits only where another loop has to come first with the same block. Between windows all loops rest. So the order of two
 * events differs from the recorded one by a window at most, and what is live with it. Accounts are kept between windows, in the
 * recorded order.
 */
final class ThreadedReplay {
  private static final int WINDOW_EVENTS = 1_024;
  private static final long WINDOW_MICROS = 1_000;
  private static final int MOST_LOOPS = 64;
  private static final int KERNEL_EVERY = 8;
  private static final long IDLE_NANOS = 2_000_000_000L;
  private static final double NANOS_PER_SECOND = 1e9;

  private final LoadedTrace trace;
  private final AllocatorUnderTest subject;
  private final MemorySampler sampler;
  private final ReplayProgress progress;
  private final ThreadPlayer.Shared shared;
  private final List<DefaultEventLoop> loops = new ArrayList<>();
  private final List<ThreadPlayer> players = new ArrayList<>();
  private final int[][] loopEvents;
  private final int[] loopCounts;

  private final LivePages pages = new LivePages();
  private final Series series = new Series();
  private final Figures figures;
  private final long[] blockAddresses;
  private final int[] blockSizes;
  private long liveBytes;
  private long samples;

  ThreadedReplay(
      LoadedTrace trace,
      AllocatorUnderTest subject,
      Writing writing,
      MemorySampler sampler,
      ReplayProgress progress) {
    this.trace = trace;
    this.subject = subject;
    this.sampler = sampler;
    this.progress = progress;
    this.shared = new ThreadPlayer.Shared(trace);
    this.figures = new Figures(/* ratiosCount= */ true, subject.boundBytes().isPresent());
    this.blockAddresses = new long[trace.blocks()];
    this.blockSizes = new int[trace.blocks()];
    int count = Math.min(MOST_LOOPS, trace.threads());
    this.loopEvents = new int[count][WINDOW_EVENTS];
    this.loopCounts = new int[count];
    for (int i = 0; i < count; i++) {
      loops.add(new DefaultEventLoop());
      players.add(new ThreadPlayer(trace, subject.allocator(), writing, shared));
    }
  }

  /** Replays all of it, and returns the figures as fields of JSON. */
  Map<String, @Nullable Object> run() throws IOException, InterruptedException, ExecutionException {
    for (int i = 0; i < loops.size(); i++) {
      loops.get(i).submit(players.get(i)::begin).get();
    }
    long begun = System.nanoTime();
    for (int from = 0; from < trace.events(); ) {
      int end = windowEnd(from);
      awaitTime(begun, trace.micros(from));
      play(from, end);
      for (int event = from; event < end; event++) {
        account(event);
      }
      take(sample(/* inMean= */ true), from >= trace.olderEvents());
      from = end;
    }
    for (int i = 0; i < loops.size(); i++) {
      loops.get(i).submit(players.get(i)::end).get();
    }
    long busyNanos = players.stream().mapToLong(ThreadPlayer::busyNanos).sum();
    figures.played(trace.events(), busyNanos);
    figures.took(0, players.stream().mapToLong(ThreadPlayer::faults).sum());
    LockSupport.parkNanos(IDLE_NANOS);
    figures.idled(sample(/* inMean= */ false));
    end();
    Map<String, @Nullable Object> map = new LinkedHashMap<>(figures.toMap());
    map.put("threads", loops.size());
    map.put(
        "waitSeconds",
        Math.round(
                players.stream().mapToLong(ThreadPlayer::waitNanos).sum() / NANOS_PER_SECOND * 1000)
            / 1000.0);
    return map;
  }

  Series series() {
    return series;
  }

  long samples() {
    return samples;
  }

  private int windowEnd(int from) {
    int most = Math.min(trace.events(), from + WINDOW_EVENTS);
    if (from < trace.olderEvents()) {
      return Math.min(most, trace.olderEvents());
    }
    int end = from + 1;
    while (end < most && trace.micros(end) - trace.micros(from) < WINDOW_MICROS) {
      end++;
    }
    return end;
  }

  private static void awaitTime(long begunNanos, long micros) {
    long due = begunNanos + TimeUnit.MICROSECONDS.toNanos(micros);
    for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  private void play(int from, int end) throws InterruptedException {
    for (int event = from; event < end; event++) {
      int loop = trace.threadOf(event) % loops.size();
      loopEvents[loop][loopCounts[loop]++] = event;
    }
    int working = 0;
    for (int count : loopCounts) {
      working += count > 0 ? 1 : 0;
    }
    CountDownLatch ended = new CountDownLatch(working);
    for (int i = 0; i < loops.size(); i++) {
      int count = loopCounts[i];
      if (count > 0) {
        ThreadPlayer player = players.get(i);
        int[] events = loopEvents[i];
        loops.get(i).execute(() -> player.play(events, count, ended));
        loopCounts[i] = 0;
      }
    }
    ended.await();
  }

  private void account(int event) {
    int block = trace.block(event);
    int bytes = trace.bytes(event);
    long address = shared.addresses[event];
    if (trace.kind(event) != LoadedTrace.RELEASE) {
      figures.allocated();
      if (address == 0) {
        figures.refused(isWithinBound(bytes));
        return;
      }
    }
    progress.moved(Math.max(bytes, blockSizes[block]));
    if (blockAddresses[block] != 0) {
      pages.remove(blockAddresses[block], blockSizes[block]);
      liveBytes -= blockSizes[block];
    }
    blockAddresses[block] = address;
    blockSizes[block] = bytes;
    if (address != 0) {
      pages.add(address, bytes);
      liveBytes += bytes;
    }
  }

  private boolean isWithinBound(int bytes) {
    OptionalLong bound = subject.boundBytes();
    long requestBytes = Math.ceilDiv(bytes, LivePages.PAGE_BYTES) * (long) LivePages.PAGE_BYTES;
    return bound.isPresent() && pages.bytes() + requestBytes <= bound.getAsLong();
  }

  private Sample sample(boolean inMean) throws IOException {
    long residentBytes = subject.residentBytes().orElse(Sample.UNKNOWN);
    long rssBytes = samples++ % KERNEL_EVERY == 0 ? sampler.sample() : Sample.UNKNOWN;
    return new Sample(progress.share(), liveBytes, pages.bytes(), residentBytes, rssBytes, inMean);
  }

  private void take(Sample sample, boolean counts) {
    series.add(sample);
    if (counts && figures.sampled(sample, trace.totals().peakLiveBytes() / 2)) {
      subject.occupancy().ifPresent(figures::peakWasMadeOf);
    }
    progress.tell();
  }

  private void end() {
    for (ByteBuf buffer : shared.buffers) {
      if (buffer != null) {
        buffer.release();
      }
    }
    loops.forEach(loop -> loop.shutdownGracefully(0, 0, TimeUnit.SECONDS));
  }
}
