package dev.weir.compression.zstd;

import dev.weir.compression.codec.CodecException;
import dev.weir.compression.context.ContextMemory;
import dev.weir.compression.context.EncoderContext;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The system's {@code libzstd}, whose contexts lie in blocks of the pool: their memory is counted
 * and limited to the byte, and returned like any other block. Only the tables of dictionaries are
 * the library's own.
 */
public final class SystemZstd extends ZstdLibrary {
  private static final System.Logger LOG = System.getLogger(SystemZstd.class.getPackageName());

  /** 1.4.0: the first with all of the functions as they are called here. */
  private static final int OLDEST = 10_400;

  /** What a context at level 3 takes is within this by far: 64 KiB to 256 MiB. */
  private static final long MIN_CONTEXT_BYTES = 64 << 10;

  private static final long MAX_CONTEXT_BYTES = 256 << 20;

  private static final Optional<SystemZstd> INSTANCE = load();

  private final String version;
  private final Map<ZstdProfile, Long> encoderBytes = new ConcurrentHashMap<>();

  private SystemZstd(String version) {
    this.version = version;
  }

  /** The library, if there is one here that can be used. */
  public static Optional<SystemZstd> find() {
    return INSTANCE;
  }

  private static Optional<SystemZstd> load() {
    if (SystemLibrary.FOUND.isEmpty()) {
      return Optional.empty();
    }
    int number = ZstdCalls.versionNumber();
    String version = number / 10_000 + "." + number / 100 % 100 + "." + number % 100;
    SystemZstd library = new SystemZstd(version);
    if (number < OLDEST) {
      LOG.log(Level.INFO, "the system''s libzstd, {0}, is too old; zstd-jni is used", version);
      return Optional.empty();
    }
    try {
      long bytes = library.bytesOf(new ZstdProfile(3, SourceBound.KIB_128));
      if (bytes < MIN_CONTEXT_BYTES || bytes > MAX_CONTEXT_BYTES) {
        throw new CodecException("a context is to take %,d bytes".formatted(bytes));
      }
    } catch (RuntimeException unusable) {
      LOG.log(
          Level.WARNING,
          "the system''s libzstd, {0}, is not used: {1}",
          version,
          String.valueOf(unusable));
      return Optional.empty();
    }
    return Optional.of(library);
  }

  @Override
  public String description() {
    return "libzstd " + version + " of the system";
  }

  @Override
  @Nullable EncoderContext tryNewEncoder(ZstdProfile profile, ContextMemory memory) {
    return SystemZstdEncoder.tryCreate(profile, bytesOf(profile), memory);
  }

  @Override
  @Nullable ZstdDecoderContext tryNewDecoder(ZstdDecoderProfile profile, ContextMemory memory) {
    return SystemZstdDecoder.tryCreate(profile, memory);
  }

  @Override
  long decoderBytes(ZstdDecoderProfile profile) {
    return SystemZstdDecoder.neededBytes(profile);
  }

  /** The memory of a context, without that of its dictionary. */
  private long bytesOf(ZstdProfile profile) {
    return encoderBytes.computeIfAbsent(
        new ZstdProfile(profile.level(), profile.source()), SystemZstd::estimate);
  }

  /** The most that the library takes for any source within the bound. */
  private static long estimate(ZstdProfile profile) {
    long params = ZstdCalls.call(ZstdFunction.CREATE_PARAMS);
    if (params == 0) {
      throw new CodecException("ZSTD_createCCtxParams: no memory");
    }
    try {
      long bytes = 0;
      for (SourceBound source : SourceBound.values()) {
        boolean smaller = source.bytes() > 0 && source.compareTo(profile.source()) <= 0;
        if (smaller || source == profile.source()) {
          bytes = Math.max(bytes, estimate(params, profile, source));
        }
      }
      return bytes;
    } finally {
      ZstdCalls.call(ZstdFunction.FREE_PARAMS, params);
    }
  }

  private static long estimate(long params, ZstdProfile profile, SourceBound source) {
    call(ZstdFunction.INIT_PARAMS, params, profile.level());
    if (source.bytes() > 0) {
      call(ZstdFunction.SET_PARAMS, params, ZstdCalls.SOURCE_BYTES_HINT, source.bytes());
    }
    if (profile.source() == SourceBound.NARROW) {
      call(ZstdFunction.SET_PARAMS, params, ZstdCalls.WINDOW_LOG, SourceBound.NARROW_WINDOW_LOG);
    }
    return call(ZstdFunction.ESTIMATE_ENCODER, params);
  }

  private static long call(ZstdFunction function, Object... arguments) {
    return ZstdCalls.require(function.name(), ZstdCalls.call(function, arguments));
  }
}
