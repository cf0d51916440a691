package dev.weir.compression.zstd;

import com.github.luben.zstd.util.Native;
import dev.weir.compression.context.ContextMemory;
import dev.weir.compression.context.EncoderContext;
import org.jspecify.annotations.Nullable;

/**
 * The zstd that comes with zstd-jni, for where the system has none. Its contexts lie in memory of
 * the library's own; the pool sets aside as many pages, by {@link JniZstdSizes}.
 */
public final class JniZstd extends ZstdLibrary {
  private JniZstd() {}

  /**
   * Loads it.
   *
   * @throws IllegalStateException if there is none for this platform
   */
  public static JniZstd load() {
    try {
      Native.load();
    } catch (LinkageError missing) {
      throw new IllegalStateException(
          "no zstd: the system has no libzstd.so.1, and zstd-jni none for this platform", missing);
    }
    return new JniZstd();
  }

  @Override
  public String description() {
    Package library = Native.class.getPackage();
    String version = library == null ? null : library.getImplementationVersion();
    return "zstd-jni" + (version == null ? "" : " " + version);
  }

  @Override
  @Nullable EncoderContext tryNewEncoder(ZstdProfile profile, ContextMemory memory) {
    return JniZstdEncoder.tryCreate(profile, memory);
  }

  @Override
  @Nullable ZstdDecoderContext tryNewDecoder(ZstdDecoderProfile profile, ContextMemory memory) {
    return JniZstdDecoder.tryCreate(profile, memory);
  }

  @Override
  long decoderBytes(ZstdDecoderProfile profile) {
    return JniZstdSizes.decoderBytes(profile);
  }
}
