package dev.weir.benchmarks.streams;

/** What is measured of a server of streams. */
public enum StreamsMetric {
  /** Acknowledged appends in a second. */
  APPENDS("appendsPerSecond", "appends/s", /* isMoreBetter= */ true),
  /** The time that half of what is timed does not exceed. */
  P50("p50Millis", "p50 ms", /* isMoreBetter= */ false),
  /** The time that 99 of 100 do not exceed. */
  P99("p99Millis", "p99 ms", /* isMoreBetter= */ false),
  /** The same while segments are copied at 200 MB/s. */
  P99_SLOW_COPY("p99BesideSlowCopyMillis", "p99 ms beside a copy at 200 MB/s", false),
  /** The same while segments are copied at full speed. */
  P99_FAST_COPY("p99BesideFastCopyMillis", "p99 ms beside a copy at full speed", false),
  /** What all readers together get. */
  READ("readMegabytesPerSecond", "read MB/s", /* isMoreBetter= */ true),
  /** What the first reader after a start gets. */
  FIRST_READ("firstReadMegabytesPerSecond", "first read after a start MB/s", true),
  /** The most that is resident while readers read. */
  RSS("rssMebibytes", "RSS MiB", /* isMoreBetter= */ false),
  /** The same without the pool's own pages. */
  RSS_LESS_POOL("rssLessPoolMebibytes", "RSS less pool MiB", /* isMoreBetter= */ false),
  /** The most that the pool has resident then. */
  POOL("poolMebibytes", "pool MiB", /* isMoreBetter= */ false),
  /** Bytes written to disks for each byte appended, the server's end included. */
  WRITTEN("writtenPerByte", "disk bytes / byte appended", /* isMoreBetter= */ false);

  private final String field;
  private final String title;
  private final boolean isMoreBetter;

  StreamsMetric(String field, String title, boolean isMoreBetter) {
    this.field = field;
    this.title = title;
    this.isMoreBetter = isMoreBetter;
  }

  /** The field of JSON rows. */
  public String field() {
    return field;
  }

  /** How tables name it. */
  public String title() {
    return title;
  }

  /** Whether more of it is better. */
  public boolean isMoreBetter() {
    return isMoreBetter;
  }
}
