package dev.weir.lab.cachefragmentation;

import dev.weir.lab.child.ParentLines;
import dev.weir.lab.report.JsonLines;
import dev.weir.lab.subject.AllocatorUnderTest;
import dev.weir.lab.subject.MemorySampler;
import dev.weir.lab.subject.Subject;
import dev.weir.netty.WeirAllocator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The process under test: runs the load on Weir's caches, and says lines of JSON: {@code phase}
 * after each, and at the end what it measured.
 */
public final class CacheChild {
  static final String PHASE = "phase";
  static final String CACHED = "cachedBytes";

  private final ParentLines parent = new ParentLines();
  private final CachePlan plan;
  private final AllocatorUnderTest subject;
  private long peakLiveBytes;
  private double ratioSum;
  private long ratios;
  private long samplingNanos;

  private CacheChild(CachePlan plan, AllocatorUnderTest subject) {
    this.plan = plan;
    this.subject = subject;
  }

  /** Runs with the label of a {@link Subject} and a plan in JSON. */
  public static void main(String[] arguments) throws Exception {
    CachePlan plan = CachePlan.of(JsonLines.parse(arguments[1]));
    AllocatorUnderTest subject =
        Subject.of(arguments[0]).create(plan.limitBytes(), plan.limitBytes());
    new CacheChild(plan, subject).run();
    System.exit(0);
  }

  private void run() throws IOException {
    parent.endWithParent();
    MemorySampler sampler = MemorySampler.onDemand(subject);
    CacheStack caches = caches();
    parent.say(JsonLines.line(Map.of(PHASE, 0, CACHED, 0)));
    CacheLoad load = new CacheLoad(plan, caches);
    long nanos = 0;
    for (int phase = 0; phase < plan.phases(); phase++) {
      long begun = System.nanoTime();
      load.runPhase(phase, () -> sample(sampler, caches));
      // The kernel's scan of a range takes far longer than reading one number of the process.
      nanos += System.nanoTime() - begun - samplingNanos;
      samplingNanos = 0;
      pause();
      sample(sampler, caches);
      samplingNanos = 0;
      parent.say(JsonLines.line(Map.of(PHASE, phase + 1, CACHED, caches.cachedBytes())));
    }
    long meanRssBytes = Math.round(ratioSum / ratios * plan.plannedBytes());
    long cachedBytes = caches.cachedBytes();
    long fullRssBytes = sampler.sample();
    caches.close();
    pause();
    Map<String, @Nullable Object> row = new LinkedHashMap<>();
    row.put("appends", load.appends());
    row.put("coldReads", load.coldReads());
    row.put("refused", load.refusedAppends() + load.refusedReads());
    row.put("seconds", Math.round(nanos / 1e7) / 100.0);
    row.put("plannedBytes", plan.plannedBytes());
    row.put("cachedBytes", cachedBytes);
    row.put("fullRssBytes", fullRssBytes);
    row.put("peakLiveBytes", peakLiveBytes);
    row.put("peakRssBytes", sampler.peakRssBytes());
    row.put("meanRssBytes", meanRssBytes);
    row.put("peakRatio", rounded((double) sampler.peakRssBytes() / plan.plannedBytes()));
    row.put("meanRatio", rounded(ratioSum / ratios));
    row.put("closedRssBytes", sampler.sample());
    parent.say(JsonLines.line(row));
  }

  private CacheStack caches() {
    return new WeirCaches(((WeirAllocator) subject.allocator()).pool(), plan);
  }

  private void sample(MemorySampler sampler, CacheStack caches) {
    long begun = System.nanoTime();
    try {
      peakLiveBytes = Math.max(peakLiveBytes, caches.cachedBytes());
      ratioSum += (double) sampler.sample() / plan.plannedBytes();
      ratios++;
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
    samplingNanos += System.nanoTime() - begun;
  }

  private void pause() {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(plan.pauseMillis());
    for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  private static double rounded(double ratio) {
    return Math.round(ratio * 1000) / 1000.0;
  }
}
