package dev.weir.server;

import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options of {@code weir serve} that say where and how streams are kept. */
final class StorageOptions {
  private static final long MIN_CACHE_BYTES = 1 << 20;
  private static final long MIN_STAGING_BYTES = 1 << 20;

  @Option(
      names = "--store",
      paramLabel = "PLACE",
      description =
          "Where flushed streams are kept: a directory, or s3://bucket/prefix. Default: in the data"
              + " directory.")
  private @Nullable String store;

  @Option(
      names = "--s3-endpoint",
      paramLabel = "URL",
      description = "An S3-compatible service, as http://localhost:8333. Default: Amazon's.")
  private @Nullable URI endpoint;

  @Option(
      names = "--log-cache",
      paramLabel = "BYTES",
      description =
          "Most memory of the budget for the newest bytes of streams. Default: a quarter of the"
              + " budget, 64M at most.",
      converter = ByteSize.Converter.class)
  private @Nullable ByteSize logCache;

  @Option(
      names = "--block-cache",
      paramLabel = "BYTES",
      description =
          "Most memory of the budget for what was read from S3. Default: a quarter of the budget,"
              + " 64M at most.",
      converter = ByteSize.Converter.class)
  private @Nullable ByteSize blockCache;

  @Option(
      names = "--flush-every",
      paramLabel = "TIME",
      description =
          "The longest that what was acknowledged waits in the WAL before it goes to the store, as"
              + " 500ms, 30s or 5m; 64M go earlier. Default: ${DEFAULT-VALUE}.",
      converter = TimeSpan.Converter.class,
      defaultValue = "1m")
  private TimeSpan flushEvery;

  @Option(
      names = "--staging",
      paramLabel = "BYTES",
      description =
          "Most bytes that wait in the data directory while the store is away; then appends are"
              + " answered 503. Default: ${DEFAULT-VALUE}.",
      converter = ByteSize.Converter.class,
      defaultValue = "8G")
  private ByteSize staging;

  @Option(
      names = "--scrub",
      paramLabel = "TIME",
      description = "How often everything in the store is verified again, as 24h. Default: never.",
      converter = TimeSpan.Converter.class)
  private @Nullable TimeSpan scrub;

  @Option(
      names = "--take-over",
      description = "Take a store that belongs to another node, which has stopped for good.")
  private boolean takesOver;

  @Option(
      names = "--without-wal",
      description =
          "Start although the WAL is lost: what was acknowledged and not flushed is given up.")
  private boolean withoutWal;

  StorageOptions() {}

  /** What the options ask for. */
  StorageSettings settings(CommandSpec spec, long budgetBytes) {
    long logCacheBytes = cacheBytes(spec, "--log-cache", logCache, budgetBytes);
    long blockCacheBytes = cacheBytes(spec, "--block-cache", blockCache, budgetBytes);
    check(
        spec,
        endpoint == null || (store != null && store.startsWith("s3://")),
        "--s3-endpoint",
        "--store names no s3://bucket/prefix");
    check(
        spec,
        staging.bytes() >= MIN_STAGING_BYTES,
        "--staging",
        staging + " is too small: it must be 1M or more");
    check(spec, !flushEvery.duration().isZero(), "--flush-every", "it must be 1ms or more");
    return new StorageSettings(
        store,
        endpoint,
        logCacheBytes,
        blockCacheBytes,
        flushEvery.duration(),
        StorageSettings.DEFAULT.flushBytes(),
        staging.bytes(),
        takesOver,
        withoutWal,
        scrub == null ? null : positive(spec, scrub.duration()));
  }

  private static long cacheBytes(
      CommandSpec spec, String option, @Nullable ByteSize wanted, long budgetBytes) {
    if (wanted == null) {
      return StorageSettings.SHARE;
    }
    check(
        spec,
        wanted.bytes() >= MIN_CACHE_BYTES && wanted.bytes() <= budgetBytes / 2,
        option,
        "%s is not in 1M..%s, half of the budget".formatted(wanted, new ByteSize(budgetBytes / 2)));
    return wanted.bytes();
  }

  private static Duration positive(CommandSpec spec, Duration every) {
    check(spec, !every.isZero(), "--scrub", "it must be 1ms or more");
    return every;
  }

  private static void check(CommandSpec spec, boolean holds, String option, String reason) {
    if (!holds) {
      throw new ParameterException(
          spec.commandLine(), "Invalid value for option '%s': %s".formatted(option, reason));
    }
  }
}
