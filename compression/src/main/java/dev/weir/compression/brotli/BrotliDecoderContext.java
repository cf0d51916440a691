package dev.weir.compression.brotli;

import com.aayushatharva.brotli4j.decoder.DecoderJNI;
import dev.weir.compression.context.ContextMemory;
import dev.weir.compression.context.LastResort;
import dev.weir.memory.Grant;
import java.io.IOException;
import java.lang.ref.Cleaner;
import org.jspecify.annotations.Nullable;

/** The native memory of one stream. */
final class BrotliDecoderContext implements AutoCloseable {
  private static final int INPUT_BYTES = 16 << 10;

  /** Tables, and the input's copy. */
  private static final long BESIDE_WINDOW_BYTES = 512 << 10;

  private final DecoderJNI.Wrapper wrapper;
  private final Cleaner.Cleanable release;

  private BrotliDecoderContext(DecoderJNI.Wrapper wrapper, Grant charge) {
    this.wrapper = wrapper;
    this.release =
        LastResort.register(
            this,
            () -> {
              wrapper.destroy();
              charge.close();
            });
  }

  static @Nullable BrotliDecoderContext tryCreate(long windowBytes, ContextMemory memory)
      throws IOException {
    // While the window grows there are two of it.
    Grant charge = memory.trySetAside(2 * windowBytes + BESIDE_WINDOW_BYTES);
    if (charge == null) {
      return null;
    }
    DecoderJNI.Wrapper wrapper = null;
    BrotliDecoderContext made = null;
    try {
      wrapper = new DecoderJNI.Wrapper(INPUT_BYTES);
      made = new BrotliDecoderContext(wrapper, charge);
      return made;
    } finally {
      if (made == null) {
        if (wrapper != null) {
          wrapper.destroy();
        }
        charge.close();
      }
    }
  }

  DecoderJNI.Wrapper wrapper() {
    return wrapper;
  }

  @Override
  public void close() {
    release.clean();
  }
}
