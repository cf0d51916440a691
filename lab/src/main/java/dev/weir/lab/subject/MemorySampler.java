package dev.weir.lab.subject;

import dev.weir.lab.memory.ProcessRss;
import dev.weir.lab.memory.RangeRss;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.locks.LockSupport;

/**
 * Looks at what an allocator says it holds and at what the kernel says: every 20 ms, on a thread of
 * its own from {@link #start} to {@link #close}, or on demand.
 *
 * <p>For an allocator whose memory lies in one range, the kernel's figure is the Rss of that range;
 * for others it is the growth of the process's anonymous pages since the start, which contains what
 * the JVM itself took meanwhile (compiled code, metadata, thread stacks). The Java heap is to be
 * touched before the start.
 *
 * <p>The two are not read in one instant. So the excess of the kernel's figure is taken over the
 * larger of the allocator's figures just before and just after it.
 */
public final class MemorySampler implements AutoCloseable {
  private static final long PERIOD_NANOS = 20_000_000;

  private final HeldMemory subject;
  private final RangeRss rangeRss = new RangeRss();
  private final long baselineBytes;
  private final Thread thread = new Thread(this::sampleUntilClosed, "memory-sampler");
  private volatile boolean closed;

  private long peakResidentBytes;
  private long peakRssBytes;
  private long peakGrowthBytes;
  private long peakExcessBytes;
  private long samples;

  private MemorySampler(HeldMemory subject) throws IOException {
    this.subject = subject;
    this.baselineBytes = ProcessRss.anonymousBytes();
  }

  /**
   * Starts sampling; the process's memory now is the baseline.
   *
   * @throws IOException if the system does not tell
   */
  public static MemorySampler start(HeldMemory subject) throws IOException {
    MemorySampler sampler = new MemorySampler(subject);
    sampler.thread.setDaemon(true);
    sampler.thread.start();
    return sampler;
  }

  /**
   * Samples when {@link #sample} is called and at no other time; the process's memory now is the
   * baseline.
   *
   * @throws IOException if the system does not tell
   */
  public static MemorySampler onDemand(HeldMemory subject) throws IOException {
    return new MemorySampler(subject);
  }

  /**
   * Takes a sample now.
   *
   * @return the kernel's figure
   * @throws IOException if the system does not tell
   */
  public synchronized long sample() throws IOException {
    long growthBytes = growthBytes();
    peakGrowthBytes = Math.max(peakGrowthBytes, growthBytes);
    samples++;
    long residentBefore = subject.residentBytes().orElse(0);
    long rssBytes = growthBytes;
    if (subject.addresses().isPresent()) {
      rssBytes = rangeRss.bytes(subject.addresses().get());
      long residentBytes = Math.max(residentBefore, subject.residentBytes().orElse(0));
      peakExcessBytes = Math.max(peakExcessBytes, rssBytes - residentBytes);
    }
    peakResidentBytes = Math.max(peakResidentBytes, residentBefore);
    peakRssBytes = Math.max(peakRssBytes, rssBytes);
    return rssBytes;
  }

  /**
   * By how much the anonymous pages of the process have grown by now.
   *
   * @throws IOException if the system does not tell
   */
  public long growthBytes() throws IOException {
    return Math.max(0, ProcessRss.anonymousBytes() - baselineBytes);
  }

  /** The most the allocator said it held: its own mark if it keeps one; 0 if it does not count. */
  public synchronized long peakResidentBytes() {
    return Math.max(peakResidentBytes, subject.peakResidentBytes().orElse(0));
  }

  /** The most the kernel said. */
  public synchronized long peakRssBytes() {
    return peakRssBytes;
  }

  /** The most the anonymous pages of the process had grown. */
  public synchronized long peakGrowthBytes() {
    return peakGrowthBytes;
  }

  /** The most by which the kernel's figure exceeded the allocator's; 0 if it never did. */
  public synchronized long peakExcessBytes() {
    return peakExcessBytes;
  }

  /** How many samples there were. */
  public synchronized long samples() {
    return samples;
  }

  private void sampleUntilClosed() {
    long nextNanos = System.nanoTime();
    while (!closed) {
      try {
        sample();
      } catch (IOException unreadable) {
        throw new UncheckedIOException(unreadable);
      }
      nextNanos = Math.max(nextNanos + PERIOD_NANOS, System.nanoTime());
      LockSupport.parkNanos(nextNanos - System.nanoTime());
    }
  }

  @Override
  public void close() {
    closed = true;
  }
}
