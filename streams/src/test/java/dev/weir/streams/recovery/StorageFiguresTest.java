package dev.weir.streams.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.streams.manifest.StreamHeader;
import dev.weir.streams.manifest.StreamManifest;
import dev.weir.streams.testing.MapStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What flushes cost: requests, and Java heap. */
class StorageFiguresTest {
  private static final int FLUSH_BYTES = 64 << 20;

  @Test
  void everyFlushOf64MiBTakesAtMostEightWrites() throws IOException {
    MapStore store = new MapStore();
    StoreProcess process = new StoreProcess(store);
    List<StreamHeader> streams = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      streams.add(process.create("stream/" + i));
    }
    process.flush();
    // The same bytes for all: a segment's data is not looked at here.
    byte[] bytes = new byte[FLUSH_BYTES / streams.size()];
    int most = 0;
    long offset = 0;
    for (int flush = 0; flush < 10; flush++) {
      // As if it had gone on for long: every shard is behind, and commits are due to be deleted.
      for (int small = 0; small < 12; small++) {
        for (StreamHeader stream : streams) {
          process.append(stream, offset, new byte[1]);
        }
        offset++;
        process.flush();
      }
      for (StreamHeader stream : streams) {
        process.append(stream, offset, bytes);
      }
      offset += bytes.length;
      store.takeWrites();
      process.flush();
      most = Math.max(most, store.takeWrites().size());
      store.removeLargerThan(FLUSH_BYTES / 2);
    }
    assertThat(most).isBetween(6, 8);
  }

  @Test
  void extentsTakeAtMost24BytesOfJavaHeap() throws IOException {
    StoreProcess process = new StoreProcess(new MapStore());
    List<StreamHeader> streams = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      streams.add(process.create("stream/" + i));
    }
    for (int flush = 0; flush < 16; flush++) {
      for (StreamHeader stream : streams) {
        process.append(stream, flush, new byte[1]);
      }
      process.flush();
    }
    long extents = 0;
    long heapBytes = 0;
    for (StreamManifest stream : process.manifests().streams()) {
      extents += stream.extents().size();
      heapBytes += stream.extents().heapBytes();
    }
    assertThat(extents).isEqualTo(16 * 2_000);
    assertThat((double) heapBytes / extents).isLessThanOrEqualTo(24);
  }
}
