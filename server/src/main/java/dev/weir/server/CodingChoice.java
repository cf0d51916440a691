package dev.weir.server;

import dev.weir.compression.Compression;
import dev.weir.compression.CompressionOptions;
import dev.weir.compression.ContentCoding;
import dev.weir.compression.brotli.BrotliCodec;
import dev.weir.compression.gzip.GzipCodec;
import dev.weir.compression.zstd.ZstdProfile;
import dev.weir.memory.Pool;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * The value of {@code --compression}.
 *
 * @param options null for no compression
 */
record CodingChoice(@Nullable CompressionOptions options) {
  private static final System.Logger LOG = System.getLogger(CodingChoice.class.getName());

  /** What {@link CompressionOptions#DEFAULT} is, in the option's own words. */
  static final String DEFAULT_VALUE = "zstd:3,br:4,gzip:6";

  static final CodingChoice DEFAULT = parse(DEFAULT_VALUE);

  static final CodingChoice OFF = new CodingChoice(null);

  /** The budget of contexts, beside those of connections, uploads and responses. */
  static final String BUDGET_NAME = "compression";

  /** Of the node's memory, what contexts may take: with 256M eight of the largest of zstd. */
  private static final int BUDGET_SHARE = 8;

  /** What a window of 2 MiB needs, which zstd has where nobody asks for another; twice. */
  private static final long LEAST_BYTES = 6L << 20;

  /** The most of the node's memory where that is more. */
  private static final int MOST_SHARE = 4;

  /** Of that, what may rest of each kind: those in use come first. */
  private static final int IDLE_SHARE = 8;

  /** Where fewer contexts of brotli fit, it would be offered and hardly ever be had. */
  private static final int MIN_BROTLI_CONTEXTS = 4;

  /** Opens what there is, charged to a budget of its own below the pool's; null for none. */
  @Nullable Compression open(Pool pool) {
    if (options == null) {
      return null;
    }
    long limitBytes =
        Math.max(
            pool.limitBytes() / BUDGET_SHARE,
            Math.min(LEAST_BYTES, pool.limitBytes() / MOST_SHARE));
    boolean withBrotli = limitBytes / BrotliCodec.ENCODER_BYTES >= MIN_BROTLI_CONTEXTS;
    if (!withBrotli && options.codings().contains(ContentCoding.BROTLI) && !equals(DEFAULT)) {
      LOG.log(
          System.Logger.Level.WARNING,
          "br is not offered: it needs --budget {0}M",
          (MIN_BROTLI_CONTEXTS * BrotliCodec.ENCODER_BYTES * BUDGET_SHARE) >> 20);
    }
    ContentCoding[] codings =
        options.codings().stream()
            .filter(coding -> coding != ContentCoding.BROTLI || withBrotli)
            .toArray(ContentCoding[]::new);
    return Compression.create(
        pool,
        pool.rootBudget().child(BUDGET_NAME, limitBytes),
        options.withCodings(codings).withMaxIdleBytes(limitBytes / IDLE_SHARE));
  }

  private static CodingChoice parse(String value) {
    if (value.equals("off")) {
      return OFF;
    }
    Map<ContentCoding, Integer> levels = new EnumMap<>(ContentCoding.class);
    List<ContentCoding> codings = new ArrayList<>();
    for (String element : value.split(",", -1)) {
      int colon = element.indexOf(':');
      ContentCoding coding = coding(colon < 0 ? element : element.substring(0, colon));
      if (codings.contains(coding)) {
        throw new IllegalArgumentException(coding.token() + " is there twice");
      }
      codings.add(coding);
      if (colon >= 0) {
        levels.put(coding, level(coding, element.substring(colon + 1)));
      }
    }
    CompressionOptions otherwise = CompressionOptions.DEFAULT;
    return new CodingChoice(
        new CompressionOptions(
            List.copyOf(codings),
            levels.getOrDefault(ContentCoding.ZSTD, otherwise.zstdLevel()),
            levels.getOrDefault(ContentCoding.BROTLI, otherwise.brotliQuality()),
            levels.getOrDefault(ContentCoding.GZIP, otherwise.gzipLevel()),
            otherwise.maxIdleBytes(),
            otherwise.requestDictionary(),
            otherwise.responseDictionary()));
  }

  private static ContentCoding coding(String token) {
    for (ContentCoding coding : ContentCoding.values()) {
      if (coding.token().equals(token)) {
        return coding;
      }
    }
    throw new IllegalArgumentException("'" + token + "' is none of zstd, br, gzip");
  }

  private static int level(ContentCoding coding, String text) {
    int level;
    try {
      level = Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "the level of %s, '%s', is not a number".formatted(coding.token(), text), e);
    }
    return switch (coding) {
      case ZSTD -> ZstdProfile.requireLevel(level);
      case BROTLI -> BrotliCodec.requireQuality(level);
      case GZIP -> GzipCodec.requireLevel(level);
    };
  }

  /** For picocli. */
  static final class Converter implements ITypeConverter<CodingChoice> {
    @Override
    public CodingChoice convert(String value) {
      try {
        return parse(value);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(
            "'%s' is neither off nor codings as %s: %s"
                .formatted(value, DEFAULT_VALUE, e.getMessage()));
      }
    }
  }
}
