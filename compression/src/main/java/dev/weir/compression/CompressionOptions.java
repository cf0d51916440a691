package dev.weir.compression;

import dev.weir.compression.brotli.BrotliCodec;
import dev.weir.compression.gzip.GzipCodec;
import dev.weir.compression.zstd.ZstdDictionary;
import dev.weir.compression.zstd.ZstdProfile;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How streams are compressed.
 *
 * @param codings what is offered, the preferred first; what is not there is left out
 * @param zstdLevel from 1 to 19
 * @param brotliQuality from 1 to 6
 * @param gzipLevel from 1 to 9
 * @param maxIdleBytes the most that contexts of one kind take which nobody uses
 * @param requestDictionary what zstd frames that arrive may refer to; null for nothing
 * @param responseDictionary what zstd frames that are sent refer to: only where every receiver has
 *     it; null for nothing
 */
public record CompressionOptions(
    List<ContentCoding> codings,
    int zstdLevel,
    int brotliQuality,
    int gzipLevel,
    long maxIdleBytes,
    @Nullable ZstdDictionary requestDictionary,
    @Nullable ZstdDictionary responseDictionary) {

  /** zstd 3, brotli 4, gzip 6, in this order; 16 MiB for idle contexts of a kind. */
  public static final CompressionOptions DEFAULT =
      new CompressionOptions(
          List.of(ContentCoding.ZSTD, ContentCoding.BROTLI, ContentCoding.GZIP),
          /* zstdLevel= */ 3,
          /* brotliQuality= */ 4,
          /* gzipLevel= */ 6,
          /* maxIdleBytes= */ 16 << 20,
          /* requestDictionary= */ null,
          /* responseDictionary= */ null);

  /** Checks that every level is in its range. */
  public CompressionOptions {
    codings = List.copyOf(codings);
    ZstdProfile.requireLevel(zstdLevel);
    BrotliCodec.requireQuality(brotliQuality);
    GzipCodec.requireLevel(gzipLevel);
    if (maxIdleBytes < 0) {
      throw new IllegalArgumentException("maxIdleBytes: " + maxIdleBytes + " (expected: >= 0)");
    }
  }

  /** The same with other codings, the preferred first. */
  public CompressionOptions withCodings(ContentCoding... newCodings) {
    return new CompressionOptions(
        List.of(newCodings),
        zstdLevel,
        brotliQuality,
        gzipLevel,
        maxIdleBytes,
        requestDictionary,
        responseDictionary);
  }

  /** The same with another level for zstd. */
  public CompressionOptions withZstdLevel(int level) {
    return new CompressionOptions(
        codings,
        level,
        brotliQuality,
        gzipLevel,
        maxIdleBytes,
        requestDictionary,
        responseDictionary);
  }

  /** The same with another limit of idle contexts. */
  public CompressionOptions withMaxIdleBytes(long bytes) {
    return new CompressionOptions(
        codings, zstdLevel, brotliQuality, gzipLevel, bytes, requestDictionary, responseDictionary);
  }

  /** The same with dictionaries, either of which may be null. */
  public CompressionOptions withDictionaries(
      @Nullable ZstdDictionary ofRequests, @Nullable ZstdDictionary ofResponses) {
    return new CompressionOptions(
        codings, zstdLevel, brotliQuality, gzipLevel, maxIdleBytes, ofRequests, ofResponses);
  }

  /** Those that there are. */
  List<ZstdDictionary> dictionaries() {
    return Stream.of(requestDictionary, responseDictionary).filter(Objects::nonNull).toList();
  }
}
