package dev.weir.lab.cachefragmentation;

import java.util.SplittableRandom;

/**
 * A seeded load: phases of appends of one kind of size, with tail reads and cold reads between
 * them; at the end of each a tenth of the streams is deleted. The same acts for every allocator.
 * Used by one thread.
 */
/*
 * A flush comes after each eighth of the cache, and lets go what was written before the one before it. So an
 * eighth to a quarter of the cache cannot be evicted. Half of the cold reads go forward through four objects, the others go
 * anywhere, most of them to a few.
 */
final class CacheLoad {
  private static final int STREAMS = 1_000;
  private static final int OBJECTS = 64;
  private static final int OBJECT_PAGES = 64;
  private static final int SCANS = 4;
  private static final int FLUSHES_PER_CACHE = 8;
  private static final int APPENDS_PER_TAIL_READ = 8;
  private static final int DELETED_SHARE = 10;

  /** A page is read from the store for so many bytes that are appended. */
  private static final long BYTES_PER_COLD_READ = 512 << 10;

  private final CachePlan plan;
  private final CacheStack caches;
  private final SplittableRandom random;
  private final long[] streamIds = new long[STREAMS];
  private final long[] offsets = new long[STREAMS];
  private final int[] scanPages = new int[SCANS];
  private long nextStreamId;
  private long sequence;
  private long lastFlushSequence;
  private long unflushedBytes;
  private long coldBytes;
  private long appends;
  private long refusedAppends;
  private long coldReads;
  private long refusedReads;

  CacheLoad(CachePlan plan, CacheStack caches) {
    this.plan = plan;
    this.caches = caches;
    this.random = new SplittableRandom(plan.seed());
    for (int i = 0; i < STREAMS; i++) {
      streamIds[i] = nextStreamId++;
    }
  }

  /** Runs one phase; {@code step} is called after each MiB. */
  void runPhase(int phase, Runnable step) {
    RecordSizes sizes = sizesOf(phase);
    long bytesLeft = sizes.phaseBytes(plan.logBytes());
    long stepBytes = 0;
    while (bytesLeft > 0) {
      int bytes = append(sizes);
      bytesLeft -= bytes;
      stepBytes += bytes;
      for (coldBytes += bytes; coldBytes >= BYTES_PER_COLD_READ; coldBytes -= BYTES_PER_COLD_READ) {
        readCold();
      }
      if (stepBytes >= 1 << 20) {
        stepBytes = 0;
        step.run();
      }
    }
    for (int i = 0; i < STREAMS / DELETED_SHARE; i++) {
      deleteStream(random.nextInt(STREAMS));
    }
    step.run();
  }

  /** Every kind once, in order, then at random. */
  private RecordSizes sizesOf(int phase) {
    RecordSizes[] kinds = RecordSizes.values();
    return kinds[phase < kinds.length ? phase : random.nextInt(kinds.length)];
  }

  private int append(RecordSizes sizes) {
    int stream = skewed(STREAMS);
    int bytes = sizes.next(random, plan.logBytes() / 8);
    appends++;
    if (caches.append(++sequence, streamIds[stream], offsets[stream], bytes)) {
      offsets[stream]++;
    } else {
      refusedAppends++;
    }
    unflushedBytes += bytes;
    if (unflushedBytes >= plan.logBytes() / FLUSHES_PER_CACHE) {
      caches.flushed(lastFlushSequence);
      lastFlushSequence = sequence;
      unflushedBytes = 0;
    }
    if (appends % APPENDS_PER_TAIL_READ == 0) {
      int read = skewed(STREAMS);
      caches.readTail(streamIds[read], offsets[read]);
    }
    return bytes;
  }

  private void readCold() {
    coldReads++;
    boolean served;
    if (random.nextBoolean()) {
      int scan = random.nextInt(SCANS);
      int page = scanPages[scan]++;
      served = caches.readPage((scan + page / OBJECT_PAGES) % OBJECTS, page % OBJECT_PAGES);
    } else {
      served = caches.readPage(skewed(OBJECTS), random.nextInt(OBJECT_PAGES));
    }
    refusedReads += served ? 0 : 1;
  }

  private void deleteStream(int stream) {
    caches.delete(streamIds[stream]);
    streamIds[stream] = nextStreamId++;
    offsets[stream] = 0;
  }

  /** A number below {@code bound}, small ones far more often. */
  private int skewed(int bound) {
    double at = random.nextDouble();
    return (int) (bound * at * at * at);
  }

  long appends() {
    return appends;
  }

  long refusedAppends() {
    return refusedAppends;
  }

  long coldReads() {
    return coldReads;
  }

  long refusedReads() {
    return refusedReads;
  }
}
