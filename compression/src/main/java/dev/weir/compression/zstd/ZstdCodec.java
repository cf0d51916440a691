package dev.weir.compression.zstd;

import dev.weir.compression.codec.Decoder;
import dev.weir.compression.codec.Encoder;
import dev.weir.compression.context.ContextMemory;
import dev.weir.compression.context.ContextPool;
import dev.weir.compression.context.EncoderContext;
import dev.weir.compression.context.LeasedEncoder;
import org.jspecify.annotations.Nullable;

/**
 * zstd streams, in contexts that are used again. One for a whole process: thread-safe; what it
 * makes is not.
 */
public final class ZstdCodec implements AutoCloseable {
  private final ZstdLibrary library;
  private final ContextMemory memory;
  private final ContextPool<ZstdProfile, EncoderContext> encoders;
  private final ContextPool<ZstdDecoderProfile, ZstdDecoderContext> decoders;

  /**
   * Calls zstd through a library.
   *
   * @param memory where contexts lie, or who is charged for them
   * @param maxIdleBytes the most that contexts take which nobody uses: this for compression, and as
   *     much for decompression
   */
  public ZstdCodec(ZstdLibrary library, ContextMemory memory, long maxIdleBytes) {
    this.library = library;
    this.memory = memory;
    this.encoders =
        new ContextPool<>(maxIdleBytes, profile -> library.tryNewEncoder(profile, memory));
    this.decoders =
        new ContextPool<>(maxIdleBytes, profile -> library.tryNewDecoder(profile, memory));
  }

  /**
   * Begins to compress a stream, of one frame.
   *
   * @param sourceBytes its length exactly, which the frame then tells; negative if it is not known
   * @return null if there is no room for a context
   */
  public @Nullable Encoder tryEncoder(ZstdProfile profile, long sourceBytes) {
    return LeasedEncoder.tryBegin(
        encoders, profile, sourceBytes < 0 ? EncoderContext.UNKNOWN_LENGTH : sourceBytes);
  }

  /**
   * Begins to decompress a stream. It takes memory when it has read the header of a frame.
   *
   * @param dictionary what frames may refer to
   */
  public Decoder decoder(@Nullable ZstdDictionary dictionary) {
    return new ZstdDecoder(library, decoders, memory, dictionary);
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
