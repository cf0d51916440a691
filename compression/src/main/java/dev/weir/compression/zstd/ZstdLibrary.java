package dev.weir.compression.zstd;

import dev.weir.compression.codec.CodecException;
import dev.weir.compression.context.ContextMemory;
import dev.weir.compression.context.EncoderContext;
import org.jspecify.annotations.Nullable;

/** A way to call zstd. Thread-safe; what it makes is not. */
public abstract sealed class ZstdLibrary permits SystemZstd, JniZstd {
  ZstdLibrary() {}

  /** What it is, with its version. */
  public abstract String description();

  /**
   * Makes a context that compresses.
   *
   * @return null if {@code memory} has no room for it
   */
  abstract @Nullable EncoderContext tryNewEncoder(ZstdProfile profile, ContextMemory memory);

  /**
   * Makes a context that decompresses.
   *
   * @return null if {@code memory} has no room for it
   */
  abstract @Nullable ZstdDecoderContext tryNewDecoder(
      ZstdDecoderProfile profile, ContextMemory memory);

  /** What a context that decompresses asks for, its dictionary included, in bytes. */
  abstract long decoderBytes(ZstdDecoderProfile profile);

  /**
   * Has the library read a dictionary, if there is room for it now.
   *
   * @param memory where it comes to lie for that time
   * @throws IllegalArgumentException if the library cannot
   */
  public final void require(ZstdDictionary dictionary, ContextMemory memory) {
    ZstdDecoderContext context;
    try {
      context = tryNewDecoder(ZstdDecoderProfile.forWindow(1, dictionary), memory);
    } catch (CodecException unreadable) {
      throw new IllegalArgumentException(
          "zstd cannot read %s: it is damaged, or was cut".formatted(dictionary), unreadable);
    }
    if (context != null) {
      context.destroy();
    }
  }

  /**
   * The system's library if there is one that can be used, zstd-jni's otherwise.
   *
   * @throws IllegalStateException if neither can be: zstd-jni has none for this platform
   */
  public static ZstdLibrary best() {
    return ZstdChoice.made().require();
  }

  @Override
  public final String toString() {
    return description();
  }
}
