package dev.weir.compression.gzip;

import dev.weir.compression.context.Context;
import dev.weir.compression.context.ContextMemory;
import dev.weir.compression.context.LibraryMemory;
import java.lang.ref.Cleaner;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/** The native memory that members are decompressed with. */
final class GzipInflater implements Context {
  /** What zlib takes for its window and its tables: 40 KiB, and some for what forks of it add. */
  private static final long NATIVE_BYTES = 48 << 10;

  private final Inflater inflater;
  private final long bytes;
  private final Cleaner.Cleanable release;

  private GzipInflater(LibraryMemory<Inflater> memory) {
    this.inflater = memory.handle();
    this.bytes = memory.bytes();
    this.release = memory.releaseWith(this);
  }

  static @Nullable GzipInflater tryCreate(ContextMemory memory) {
    return LibraryMemory.tryMake(
        memory,
        NATIVE_BYTES,
        () -> new Inflater(/* nowrap= */ true),
        Inflater::end,
        GzipInflater::new);
  }

  Inflater inflater() {
    return inflater;
  }

  @Override
  public long bytes() {
    return bytes;
  }

  @Override
  public void destroy() {
    release.clean();
  }
}
