package dev.weir.server;

import dev.weir.objects.s3.S3ObjectStore;
import dev.weir.objects.s3.S3Options;
import dev.weir.streams.StoreOptions;
import dev.weir.streams.objects.ObjectStore;
import dev.weir.streams.objects.directory.DirectoryObjectStore;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Where and how a node keeps its streams.
 *
 * @param store a directory, or {@code s3://bucket/prefix}; null: in the data directory
 * @param endpoint of an S3-compatible service; null: Amazon's
 * @param logCacheBytes the most memory for the newest bytes; {@link #SHARE} of the budget
 * @param blockCacheBytes the most memory for pages of S3; {@link #SHARE} of the budget
 * @param flushEvery the longest that a change waits for a flush
 * @param flushBytes so many bytes make a flush earlier
 * @param stagingBytes the most that may wait while the store is away
 * @param takesOver whether another node's store may become this one's
 * @param withoutWal whether the WAL is given up
 * @param scrubEvery how often everything stored is verified again; null: never
 */
record StorageSettings(
    @Nullable String store,
    @Nullable URI endpoint,
    long logCacheBytes,
    long blockCacheBytes,
    Duration flushEvery,
    long flushBytes,
    long stagingBytes,
    boolean takesOver,
    boolean withoutWal,
    @Nullable Duration scrubEvery) {
  /** A quarter of the budget, 64 MiB at most. */
  static final long SHARE = 0;

  private static final long MAX_SHARE_BYTES = 64 << 20;
  private static final String S3 = "s3://";

  static final StorageSettings DEFAULT =
      new StorageSettings(
          /* store= */ null,
          /* endpoint= */ null,
          SHARE,
          SHARE,
          Duration.ofMinutes(1),
          /* flushBytes= */ 64 << 20,
          /* stagingBytes= */ 8L << 30,
          /* takesOver= */ false,
          /* withoutWal= */ false,
          /* scrubEvery= */ null);

  /** The capacity of a cache in a budget. */
  static long cacheBytes(long wantedBytes, long budgetBytes) {
    return wantedBytes == SHARE ? Math.min(budgetBytes / 4, MAX_SHARE_BYTES) : wantedBytes;
  }

  /** Whether pages are worth keeping: nobody else does. */
  boolean isRemote() {
    return store != null && store.startsWith(S3);
  }

  /** The same for the log, with caches that are added later. */
  StoreOptions options(ByteBufAllocator allocator) {
    return StoreOptions.embedded()
        .in(embedded -> open(embedded, allocator))
        .flushing(flushEvery, flushBytes, stagingBytes)
        .owning(host(), takesOver, withoutWal)
        .scrubbing(scrubEvery);
  }

  private ObjectStore open(Path embedded, ByteBufAllocator allocator) throws IOException {
    String place = store;
    if (place == null) {
      return DirectoryObjectStore.open(embedded);
    }
    if (!isRemote()) {
      return DirectoryObjectStore.open(Path.of(place));
    }
    S3Options options = S3Options.of(URI.create(place)).withAllocator(allocator);
    return S3ObjectStore.open(endpoint == null ? options : options.withEndpoint(endpoint));
  }

  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException nameless) {
      return "a host without a name";
    }
  }
}
