package dev.weir.streams.objects.block;

import static dev.weir.streams.objects.Outcomes.bytes;
import static dev.weir.streams.objects.Outcomes.put;
import static dev.weir.streams.objects.Outcomes.target;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cache.block.BlockSource;
import dev.weir.streams.objects.FaultyObjectStore;
import dev.weir.streams.objects.PutCondition;
import dev.weir.streams.objects.directory.DirectoryObjectStore;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ObjectBlockSourceTest {
  @TempDir Path folder;
  private FaultyObjectStore store;
  private BlockSource source;

  @BeforeEach
  void open() throws Exception {
    store = new FaultyObjectStore(DirectoryObjectStore.open(folder), 1);
    source = new ObjectBlockSource(store);
    put(store, "a", bytes(1, 1_000), PutCondition.always());
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void aFetchIsOneRead() {
    MemorySegment into = target(100);
    source.fetch("a", 500, into).ended().toCompletableFuture().join();

    assertThat(into.toArray(ValueLayout.JAVA_BYTE))
        .isEqualTo(Arrays.copyOfRange(bytes(1, 1_000), 500, 600));
    assertThat(store.calls(FaultyObjectStore.Call.READ)).isEqualTo(1);
    assertThat(source.name()).isEqualTo(store.name());
  }

  @Test
  void aFetchIsCancelled() {
    store.next(FaultyObjectStore.Call.READ, FaultyObjectStore.Fault.HANG);
    BlockSource.Fetch fetch = source.fetch("a", 0, target(100));
    assertThat(fetch.ended().toCompletableFuture()).isNotDone();

    fetch.cancel();

    assertThat(fetch.ended().toCompletableFuture()).isCompletedExceptionally();
  }
}
