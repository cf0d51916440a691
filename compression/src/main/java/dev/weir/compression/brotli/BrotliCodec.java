package dev.weir.compression.brotli;

import com.aayushatharva.brotli4j.Brotli4jLoader;
import dev.weir.compression.codec.Decoder;
import dev.weir.compression.codec.Encoder;
import dev.weir.compression.context.ContextMemory;
import org.jspecify.annotations.Nullable;

/**
 * brotli streams, where brotli4j and its library for the platform are on the path of classes or
 * modules. Their contexts cannot be used twice, so each stream takes and gives back its own.
 * Thread-safe; what it makes is not.
 */
public final class BrotliCodec implements AutoCloseable {
  /** The fastest. */
  public static final int MIN_QUALITY = 1;

  /** The densest whose tables stay small; beyond it a stream takes tens of megabytes. */
  public static final int MAX_QUALITY = 6;

  /** What a stream that is compressed takes, at any quality. */
  public static final long ENCODER_BYTES = BrotliEncoder.NATIVE_BYTES;

  private final ContextMemory memory;
  private volatile boolean closed;

  /**
   * Calls brotli4j, which has to be there.
   *
   * @param memory who is charged for contexts
   */
  public BrotliCodec(ContextMemory memory) {
    this.memory = memory;
  }

  /** Whether brotli4j is there and works on this platform. */
  public static boolean isAvailable() {
    try {
      return Brotli4jLoader.isAvailable();
    } catch (LinkageError missing) {
      return false;
    }
  }

  /**
   * Begins to compress a stream.
   *
   * @param quality from {@link #MIN_QUALITY} to {@link #MAX_QUALITY}
   * @return null if there is no room for a context
   */
  public @Nullable Encoder tryEncoder(int quality) {
    requireOpen();
    return BrotliEncoder.tryCreate(requireQuality(quality), memory);
  }

  /** Begins to decompress a stream. It takes memory when it has read the first byte. */
  public Decoder decoder() {
    requireOpen();
    return new BrotliDecoder(memory);
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("the contexts have been closed");
    }
  }

  /** Begins no stream any more; those that have begun go on to their ends. */
  @Override
  public void close() {
    closed = true;
  }

  /**
   * Checks a quality.
   *
   * @return the quality
   * @throws IllegalArgumentException if it is out of range
   */
  public static int requireQuality(int quality) {
    if (quality < MIN_QUALITY || quality > MAX_QUALITY) {
      throw new IllegalArgumentException(
          "brotli quality: %d (expected: %d to %d)".formatted(quality, MIN_QUALITY, MAX_QUALITY));
    }
    return quality;
  }
}
