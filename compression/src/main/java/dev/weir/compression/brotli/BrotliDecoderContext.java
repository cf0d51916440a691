package dev.weir.compression.brotli;

import com.aayushatharva.brotli4j.decoder.DecoderJNI;
import dev.weir.compression.context.ContextMemory;
import dev.weir.compression.context.LibraryMemory;
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

  private BrotliDecoderContext(LibraryMemory<DecoderJNI.Wrapper> memory) {
    this.wrapper = memory.handle();
    this.release = memory.releaseWith(this);
  }

  static @Nullable BrotliDecoderContext tryCreate(long windowBytes, ContextMemory memory)
      throws IOException {
    return LibraryMemory.tryMake(
        memory,
        bytes(windowBytes),
        () -> new DecoderJNI.Wrapper(INPUT_BYTES),
        DecoderJNI.Wrapper::destroy,
        BrotliDecoderContext::new);
  }

  /**
   * What a stream with such a window is charged. The library makes its buffer larger as a stream
   * goes on, by powers of two, and has the one before beside it while it copies that.
   */
  static long bytes(long windowBytes) {
    return windowBytes + windowBytes / 2 + BESIDE_WINDOW_BYTES;
  }

  DecoderJNI.Wrapper wrapper() {
    return wrapper;
  }

  @Override
  public void close() {
    release.clean();
  }
}
