package dev.weir.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.streams.manifest.StreamHeader;
import dev.weir.streams.manifest.StreamManifest;
import dev.weir.streams.objects.directory.DirectoryObjectStore;
import dev.weir.streams.recovery.StoreProcess;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Many flushes that each have every stream, with the compaction that they bring about. {@code
 * -Dweir.flushes=1000 -Dweir.streams=100000} is the long form, which looks at the Java heap too.
 */
class ManyFlushesTest {
  private static final int FLUSHES = Integer.getInteger("weir.flushes", 40);
  private static final int STREAMS = Integer.getInteger("weir.streams", 300);
  private static final int MANY_STREAMS = 10_000;
  private static final int MAX_EXTENTS = 16;

  /** 128 MiB for 100,000 streams. */
  private static final long MAX_HEAP_BYTES_A_STREAM = (128 << 20) / 100_000;

  @TempDir Path directory;

  @Test
  void theyLeaveFewExtentsInLittleHeap() throws IOException {
    Path objects = directory.resolve("objects");
    try (DirectoryObjectStore store = DirectoryObjectStore.open(objects)) {
      flushAndCompact(new StoreProcess(store));
    }
    long before = usedHeap();
    StoreOptions options =
        StoreOptions.embedded()
            .in(embedded -> DirectoryObjectStore.open(objects))
            .owning("here", /* takes= */ true, /* withoutItsWal= */ false);
    try (StoreFixture fixture = new StoreFixture(directory.resolve("data"), options)) {
      long heapBytes = usedHeap() - before;
      System.out.printf(
          "%d flushes of %d streams: %d bytes of Java heap a stream%n",
          FLUSHES, STREAMS, heapBytes / STREAMS);
      assertThat(fixture.store.streamCount()).isEqualTo(STREAMS);
      if (STREAMS >= MANY_STREAMS) {
        assertThat(heapBytes / STREAMS).isLessThanOrEqualTo(MAX_HEAP_BYTES_A_STREAM);
      }
    }
  }

  private static void flushAndCompact(StoreProcess process) throws IOException {
    List<StreamHeader> streams = new ArrayList<>();
    for (int i = 0; i < STREAMS; i++) {
      streams.add(process.create("stream/" + i));
    }
    byte[] bytes = "some 40 bytes, that make 4 MiB a flush.. ".getBytes();
    for (int flush = 0; flush < FLUSHES; flush++) {
      for (StreamHeader stream : streams) {
        process.append(stream, (long) flush * bytes.length, bytes);
      }
      process.flush();
      compact(process);
    }
    process.nowMillis += 11 * 60_000;
    compact(process);
    long extents = 0;
    long heapBytes = 0;
    int most = 0;
    for (StreamManifest stream : process.manifests().streams()) {
      extents += stream.extents().size();
      heapBytes += stream.extents().heapBytes();
      most = Math.max(most, stream.extents().size());
    }
    System.out.printf(
        "%d flushes of %d streams: at most %d extents a stream, %.1f bytes each%n",
        FLUSHES, STREAMS, most, (double) heapBytes / extents);
    assertThat(most).isLessThanOrEqualTo(MAX_EXTENTS);
    assertThat((double) heapBytes / extents).isLessThanOrEqualTo(24);
    process.manifests().checkInvariants();
  }

  private static void compact(StoreProcess process) throws IOException {
    boolean hasMore = true;
    while (hasMore) {
      hasMore = process.compactor.step();
    }
  }

  private static long usedHeap() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
