package dev.weir.compression.gzip;

import dev.weir.compression.context.Context;
import dev.weir.compression.context.ContextMemory;
import dev.weir.compression.context.LastResort;
import dev.weir.memory.Grant;
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

  private GzipInflater(Inflater inflater, Grant charge) {
    this.inflater = inflater;
    this.bytes = charge.bytes();
    this.release =
        LastResort.register(
            this,
            () -> {
              inflater.end();
              charge.close();
            });
  }

  static @Nullable GzipInflater tryCreate(ContextMemory memory) {
    Grant charge = memory.trySetAside(NATIVE_BYTES);
    if (charge == null) {
      return null;
    }
    Inflater inflater = null;
    GzipInflater made = null;
    try {
      inflater = new Inflater(/* nowrap= */ true);
      made = new GzipInflater(inflater, charge);
      return made;
    } finally {
      if (made == null) {
        if (inflater != null) {
          inflater.end();
        }
        charge.close();
      }
    }
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
