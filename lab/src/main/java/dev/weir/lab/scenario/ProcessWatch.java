package dev.weir.lab.scenario;

import dev.weir.lab.child.ChildJvm;
import dev.weir.lab.memory.ProcessRss;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Looks every 50 ms at how much the anonymous pages of another process have grown since it began to
 * look, and at what is live in it. Thread-safe.
 */
public final class ProcessWatch implements AutoCloseable {
  private static final long PERIOD_NANOS = 50_000_000;
  private static final double NANOS_PER_SECOND = 1e9;

  /** As many points as a chart shows. */
  private static final int MOST_POINTS = 300;

  private final long pid;
  private final Ending ending;
  private final LongSupplier liveBytes;
  private final long baselineBytes;
  private final long begunNanos = System.nanoTime();
  private final Thread thread = new Thread(this::watch, "process-watch");
  private volatile boolean closed;

  private final List<Point> points = new ArrayList<>();
  private long peakRssBytes;
  private long peakLiveBytes;
  private double sumOfRss;
  private long samples;

  private record Point(double seconds, long rssBytes, long liveBytes) {}

  /** Says more of a process that turns out to be gone. */
  @FunctionalInterface
  private interface Ending {
    IOException of(IOException found) throws IOException;
  }

  private ProcessWatch(long pid, Ending ending, LongSupplier liveBytes) throws IOException {
    this.pid = pid;
    this.ending = ending;
    this.liveBytes = liveBytes;
    this.baselineBytes = anonymousBytes();
  }

  /**
   * Begins; what the process has resident now is the baseline.
   *
   * @param liveBytes what is live in it, as far as its parent knows
   * @throws IOException if the process has ended
   */
  public static ProcessWatch start(ChildJvm child, LongSupplier liveBytes) throws IOException {
    return start(child.pid(), child::endedEarly, liveBytes);
  }

  /**
   * The same of a process that is no child JVM.
   *
   * @throws IOException if the process has ended
   */
  public static ProcessWatch start(long pid, LongSupplier liveBytes) throws IOException {
    return start(pid, found -> found, liveBytes);
  }

  private static ProcessWatch start(long pid, Ending ending, LongSupplier liveBytes)
      throws IOException {
    ProcessWatch watch = new ProcessWatch(pid, ending, liveBytes);
    watch.thread.setDaemon(true);
    watch.thread.start();
    return watch;
  }

  /**
   * Looks now.
   *
   * @return the growth
   * @throws IOException if the process has ended
   */
  public synchronized long sample() throws IOException {
    long rssBytes = Math.max(0, anonymousBytes() - baselineBytes);
    long live = liveBytes.getAsLong();
    double seconds = (System.nanoTime() - begunNanos) / NANOS_PER_SECOND;
    points.add(new Point(seconds, rssBytes, live));
    peakRssBytes = Math.max(peakRssBytes, rssBytes);
    peakLiveBytes = Math.max(peakLiveBytes, live);
    sumOfRss += rssBytes;
    samples++;
    return rssBytes;
  }

  private long anonymousBytes() throws IOException {
    try {
      return ProcessRss.anonymousBytes(pid);
    } catch (IOException gone) {
      throw ending.of(gone);
    }
  }

  /** The most that it has grown. */
  public synchronized long peakRssBytes() {
    return peakRssBytes;
  }

  /** The mean of all samples so far; 0 without any. */
  public synchronized long meanRssBytes() {
    return samples == 0 ? 0 : Math.round(sumOfRss / samples);
  }

  /** The most that was live in any sample. */
  public synchronized long peakLiveBytes() {
    return peakLiveBytes;
  }

  /** For a chart: seconds, growth and live of each stretch, in which it held most. */
  public synchronized List<List<Number>> series() {
    int stretch = Math.max(1, Math.ceilDiv(points.size(), MOST_POINTS));
    List<List<Number>> series = new ArrayList<>();
    for (int from = 0; from < points.size(); from += stretch) {
      Point highest = points.get(from);
      for (Point point : points.subList(from, Math.min(points.size(), from + stretch))) {
        highest = point.rssBytes > highest.rssBytes ? point : highest;
      }
      double seconds = Math.round(highest.seconds * 100) / 100.0;
      series.add(List.<Number>of(seconds, highest.rssBytes, highest.liveBytes));
    }
    return series;
  }

  private void watch() {
    while (!closed) {
      try {
        sample();
      } catch (IOException ended) {
        return;
      }
      LockSupport.parkNanos(PERIOD_NANOS);
    }
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }
}
