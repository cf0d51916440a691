package dev.weir.compression;

import static java.util.Objects.requireNonNull;

import dev.weir.compression.brotli.BrotliCodec;
import dev.weir.compression.codec.Decoder;
import dev.weir.compression.codec.Encoder;
import dev.weir.compression.context.ContextMemory;
import dev.weir.compression.gzip.GzipCodec;
import dev.weir.compression.zstd.SourceBound;
import dev.weir.compression.zstd.ZstdCodec;
import dev.weir.compression.zstd.ZstdDictionary;
import dev.weir.compression.zstd.ZstdLibrary;
import dev.weir.compression.zstd.ZstdProfile;
import dev.weir.memory.Pool;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.pressure.Pressure;
import dev.weir.memory.pressure.Registration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Compression for a process. Contexts are charged to one budget, kept for the next stream within a
 * limit, and given up where the pool asks for memory, or where they are what puts the budget under
 * pressure; while that or the pool is under pressure, streams get smaller ones. Thread-safe; its
 * encoders and decoders are not.
 */
public final class Compression implements AutoCloseable {
  /** Idle contexts are the first to go: they hold nothing that would have to be made again. */
  private static final int RECLAIM_PRIORITY = 0;

  /** Of the budget: so much that nobody uses must not keep streams in smaller contexts. */
  private static final int CONSIDERABLE_SHARE = 8;

  private final CompressionOptions options;
  private final List<ContentCoding> codings;
  private final Pool pool;
  private final Budget budget;
  private final ZstdCodec zstd;

  /** By what is known of the length: one object for all streams of a kind. */
  private final Map<SourceBound, ZstdProfile> full;

  private final Map<SourceBound, ZstdProfile> reduced;
  private final GzipCodec gzip;
  private final @Nullable BrotliCodec brotli;
  private final Registration reclaimer;

  private Compression(
      ZstdLibrary library, ContextMemory memory, CompressionOptions options, boolean withBrotli) {
    this.options = options;
    this.pool = memory.pool();
    this.budget = memory.budget();
    for (ZstdDictionary dictionary : options.dictionaries()) {
      library.require(dictionary, memory);
    }
    this.zstd = new ZstdCodec(library, memory, options.maxIdleBytes());
    this.full = profiles(options.zstdLevel(), options);
    this.reduced = profiles(ZstdProfile.MIN_LEVEL, options);
    this.gzip = new GzipCodec(memory, options.maxIdleBytes());
    this.brotli = withBrotli ? new BrotliCodec(memory) : null;
    this.codings =
        options.codings().stream()
            .filter(coding -> coding != ContentCoding.BROTLI || withBrotli)
            .toList();
    this.reclaimer = pool.addReclaimer(budget, RECLAIM_PRIORITY, this::destroyIdle);
  }

  /**
   * Compression with the best libraries that are here.
   *
   * @param budget what contexts are charged to, of that pool
   * @throws IllegalArgumentException if it is another pool's, or a dictionary cannot be read
   * @throws IllegalStateException if there is no zstd for this platform
   */
  public static Compression create(Pool pool, Budget budget, CompressionOptions options) {
    return create(ZstdLibrary.best(), pool, budget, options);
  }

  /** The same with a zstd of the caller's choice. */
  public static Compression create(
      ZstdLibrary library, Pool pool, Budget budget, CompressionOptions options) {
    return create(library, new ContextMemory(pool, budget), options);
  }

  /** The same with contexts that come from there. */
  static Compression create(ZstdLibrary library, ContextMemory memory, CompressionOptions options) {
    return new Compression(library, memory, options, BrotliCodec.isAvailable());
  }

  /** What it compresses with and decompresses, the preferred first. */
  public List<ContentCoding> codings() {
    return codings;
  }

  /**
   * Begins to compress a stream, unless that has to wait for better times.
   *
   * @param sourceBytes its length exactly; negative if it is not known
   * @return null if memory is short
   */
  public @Nullable Encoder tryEncoder(ContentCoding coding, long sourceBytes) {
    return switch (intensity()) {
      case FULL -> {
        Encoder full = tryFull(coding, sourceBytes);
        yield full != null ? full : tryReduced(coding, sourceBytes);
      }
      case REDUCED -> tryReduced(coding, sourceBytes);
      case NONE -> null;
    };
  }

  /**
   * As {@link #tryEncoder}, for a receiver that does not want the stream otherwise: the pressure
   * only makes it a smaller context.
   */
  public @Nullable Encoder tryRequiredEncoder(ContentCoding coding, long sourceBytes) {
    Encoder encoder = intensity() == Intensity.FULL ? tryFull(coding, sourceBytes) : null;
    return encoder != null ? encoder : tryReduced(coding, sourceBytes);
  }

  private Intensity intensity() {
    Pressure ofPool = pool.rootBudget().pressure();
    Pressure ofBudget = budget.pressure();
    if (ofBudget != Pressure.NONE && idleBytes() > budget.chargedBytes() / CONSIDERABLE_SHARE) {
      destroyIdle(Long.MAX_VALUE);
      ofBudget = budget.pressure();
    }
    return Intensity.under(ofPool.compareTo(ofBudget) > 0 ? ofPool : ofBudget);
  }

  private @Nullable Encoder tryFull(ContentCoding coding, long sourceBytes) {
    return switch (coding) {
      case ZSTD -> tryZstd(full, SourceBound.of(sourceBytes), sourceBytes);
      case GZIP -> gzip.tryEncoder(options.gzipLevel());
      case BROTLI -> requireBrotli().tryEncoder(options.brotliQuality());
    };
  }

  private @Nullable Encoder tryReduced(ContentCoding coding, long sourceBytes) {
    SourceBound bound = SourceBound.of(sourceBytes);
    return switch (coding) {
      case ZSTD ->
          tryZstd(reduced, bound == SourceBound.KIB_16 ? bound : SourceBound.NARROW, sourceBytes);
      case GZIP -> gzip.tryEncoder(GzipCodec.MIN_LEVEL);
      case BROTLI -> requireBrotli().tryEncoder(BrotliCodec.MIN_QUALITY);
    };
  }

  private @Nullable Encoder tryZstd(
      Map<SourceBound, ZstdProfile> profiles, SourceBound bound, long sourceBytes) {
    return zstd.tryEncoder(requireNonNull(profiles.get(bound)), sourceBytes);
  }

  private static Map<SourceBound, ZstdProfile> profiles(int level, CompressionOptions options) {
    Map<SourceBound, ZstdProfile> profiles = new EnumMap<>(SourceBound.class);
    for (SourceBound bound : SourceBound.values()) {
      profiles.put(bound, new ZstdProfile(level, bound, options.responseDictionary()));
    }
    return profiles;
  }

  /**
   * Begins to decompress a stream.
   *
   * @throws IllegalArgumentException if it is not among {@link #codings()}
   */
  public Decoder decoder(ContentCoding coding) {
    return switch (coding) {
      case ZSTD -> zstd.decoder(options.requestDictionary());
      case GZIP -> gzip.decoder();
      case BROTLI -> requireBrotli().decoder();
    };
  }

  private BrotliCodec requireBrotli() {
    if (brotli == null) {
      throw new IllegalArgumentException("brotli4j is not here; there are " + codings);
    }
    return brotli;
  }

  /** What contexts are charged to. */
  public Budget budget() {
    return budget;
  }

  /** What contexts take that nobody uses, in bytes. */
  public long idleBytes() {
    return zstd.idleBytes() + gzip.idleBytes();
  }

  /**
   * Destroys contexts that nobody uses.
   *
   * @return how many bytes they took
   */
  public long destroyIdle(long bytes) {
    long freed = zstd.destroyIdle(bytes);
    return freed >= bytes ? freed : freed + gzip.destroyIdle(bytes - freed);
  }

  /**
   * Destroys the contexts that nobody uses, and each of the others when its stream is closed. No
   * stream can be begun any more.
   */
  @Override
  public void close() {
    // Where one fails to destroy a context, the others are closed all the same.
    try {
      reclaimer.close();
    } finally {
      closeCodecs();
    }
  }

  private void closeCodecs() {
    try {
      zstd.close();
    } finally {
      try {
        gzip.close();
      } finally {
        if (brotli != null) {
          brotli.close();
        }
      }
    }
  }
}
