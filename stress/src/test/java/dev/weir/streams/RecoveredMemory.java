package dev.weir.streams;

import dev.weir.streams.manifest.Manifests;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Recovery of one WAL file in memory, beside an empty object store. */
final class RecoveredMemory {
  static final StoreLayout LAYOUT = new StoreLayout(Path.of("/data"));
  static final int EPOCH = 1;

  /** For one thread, as its tests are. */
  private static final ByteBuffer BUFFER = ByteBuffer.allocate(FrameLayout.MAX_BODY_BYTES);

  private RecoveredMemory() {}

  /** Recovers, and tells how many bytes of the file it keeps. */
  static long journalBytes(MemoryDisk disk) throws IOException {
    Catalog catalog = new Catalog();
    Recovery.Settings settings =
        new Recovery.Settings(
            disk,
            LAYOUT,
            new Manifests(),
            EPOCH,
            /* mayLackWal= */ true,
            /* nowMillis= */ 0,
            catalog,
            new Unflushed(LAYOUT, catalog, TailCache.NONE, id -> {}));
    try (Journal journal = Recovery.run(settings, BUFFER).journal()) {
      return journal.sizeBytes();
    }
  }
}
