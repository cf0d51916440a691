package dev.weir.benchmarks.harness;

/** What is measured; less is better for all of them. */
public enum Metric {
  /** Time of one core for an operation. */
  NS_PER_OP("nsPerOp", "ns/op", 1),
  /** Java objects that an operation makes, in bytes. */
  HEAP_BYTES_PER_OP("heapBytesPerOp", "heap B/op", 1),
  /**
   * Core time of the collector for an operation, both pauses and work beside the program.
   *
   * <p>A JVM that measures does not know its operations, and reports {@link CollectorTime#share}.
   */
  GC_NS_PER_OP("gcNsPerOp", "GC ns/op", 1),
  /** Java heap that is in use after a collection, for each live buffer. */
  HEAP_BYTES_PER_BUFFER("heapBytesPerBuffer", "heap B/buffer", 1),
  /**
   * Resident anonymous memory of the process, as the kernel counts it, at the end of the growth.
   */
  RSS_BYTES("rssBytes", "RSS MiB", 1 << 20),
  /** Resident memory of Weir's own addresses at the end of the growth, as the kernel counts it. */
  POOL_RSS_BYTES("poolRssBytes", "pool RSS MiB", 1 << 20),
  /** What 999 of 1,000 single operations do not exceed. */
  P999_NS("p999Ns", "p99.9 ns", 1),
  /** The most anonymous memory that the process had resident while it worked. */
  PEAK_RSS_BYTES("peakRssBytes", "peak RSS MiB", 1 << 20),
  /** Anonymous memory of the process when it has been idle, with a tenth of the buffers live. */
  IDLE_RSS_BYTES("idleRssBytes", "idle RSS MiB", 1 << 20),
  /** What is then resident of Weir's own addresses beyond its live pages; never below 0. */
  IDLE_EXCESS_BYTES("idleExcessBytes", "idle pool RSS less live pages MiB", 1 << 20),
  /** How often the working thread faulted a page in, for a thousand operations. */
  FAULTS_PER_THOUSAND("faultsPerThousand", "page faults / 1,000 op", 1),
  /** The growth of anonymous memory with an event loop's first request. */
  RSS_BYTES_PER_LOOP("rssBytesPerLoop", "RSS KiB/loop", 1 << 10),
  /** Time as a percentage of what the bare library takes for the same, in turns with it. */
  PERCENT_OF_LIBRARY("percentOfLibrary", "% of the library's time", 1),
  /** What a content becomes. */
  COMPRESSED_BYTES("compressedBytes", "compressed B", 1),
  /** Objects on the Java heap at the end that will have to be finalized. */
  FINALIZERS("finalizers", "finalizers", 1);

  private final String field;
  private final String title;
  private final int unit;

  Metric(String field, String title, int unit) {
    this.field = field;
    this.title = title;
    this.unit = unit;
  }

  /** The field of JSON rows. */
  public String field() {
    return field;
  }

  /** How tables name it, with the unit they give it in. */
  public String title() {
    return title;
  }

  /** A value in the unit of {@link #title}. */
  public double inTableUnit(double value) {
    return value / unit;
  }
}
