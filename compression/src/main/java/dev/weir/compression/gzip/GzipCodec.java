package dev.weir.compression.gzip;

import dev.weir.compression.codec.Decoder;
import dev.weir.compression.codec.Encoder;
import dev.weir.compression.context.ContextMemory;
import dev.weir.compression.context.ContextPool;
import dev.weir.compression.context.EncoderContext;
import dev.weir.compression.context.LeasedEncoder;
import org.jspecify.annotations.Nullable;

/**
 * gzip streams, by zlib as the JDK brings it. One for a whole process: thread-safe; what it makes
 * is not.
 */
public final class GzipCodec implements AutoCloseable {
  /** The fastest. */
  public static final int MIN_LEVEL = 1;

  /** The densest. */
  public static final int MAX_LEVEL = 9;

  /** All contexts that decompress are alike. */
  enum Kind {
    ANY
  }

  private final ContextMemory memory;
  private final ContextPool<Integer, EncoderContext> encoders;
  private final ContextPool<Kind, GzipInflater> decoders;

  /**
   * Begins without contexts.
   *
   * @param memory who is charged for them
   * @param maxIdleBytes the most that contexts take which nobody uses: this for compression, and as
   *     much for decompression
   */
  public GzipCodec(ContextMemory memory, long maxIdleBytes) {
    this.memory = memory;
    this.encoders = new ContextPool<>(maxIdleBytes, level -> GzipEncoder.tryCreate(level, memory));
    this.decoders = new ContextPool<>(maxIdleBytes, any -> GzipInflater.tryCreate(memory));
  }

  /**
   * Begins to compress a stream.
   *
   * @param level from {@link #MIN_LEVEL} to {@link #MAX_LEVEL}
   * @return null if there is no room for a context
   */
  public @Nullable Encoder tryEncoder(int level) {
    return LeasedEncoder.tryBegin(encoders, requireLevel(level), EncoderContext.UNKNOWN_LENGTH);
  }

  /** Begins to decompress a stream. It takes memory when it has read a header. */
  public Decoder decoder() {
    return new GzipDecoder(decoders, memory);
  }

  /**
   * Checks a level.
   *
   * @return the level
   * @throws IllegalArgumentException if it is out of range
   */
  public static int requireLevel(int level) {
    if (level < MIN_LEVEL || level > MAX_LEVEL) {
      throw new IllegalArgumentException(
          "gzip level: %d (expected: %d to %d)".formatted(level, MIN_LEVEL, MAX_LEVEL));
    }
    return level;
  }

  /** What contexts take that nobody uses, in bytes. */
  public long idleBytes() {
    return encoders.idleBytes() + decoders.idleBytes();
  }

  /**
   * Destroys contexts that nobody uses.
   *
   * @return how many bytes they took
   */
  public long destroyIdle(long bytes) {
    long freed = encoders.destroyIdle(bytes);
    return freed >= bytes ? freed : freed + decoders.destroyIdle(bytes - freed);
  }

  /** Destroys the contexts that nobody uses, and each of the others when its stream is closed. */
  @Override
  public void close() {
    try {
      encoders.close();
    } finally {
      decoders.close();
    }
  }
}
