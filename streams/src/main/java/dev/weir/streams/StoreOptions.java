package dev.weir.streams;

import dev.weir.cache.block.BlockCache;
import dev.weir.cache.log.LogCache;
import dev.weir.streams.objects.ObjectStore;
import dev.weir.streams.objects.directory.DirectoryObjectStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a {@link StreamStore} keeps its streams. Immutable.
 *
 * @param objects opens the object store; it is closed with the streams
 * @param tail has the newest bytes in memory; null: they are read from the WAL
 * @param blocks has pages of segments that are no local files; null: they are read without
 * @param flushEvery the longest that a change waits for a flush
 * @param flushBytes so many bytes of streams make a flush earlier
 * @param maxUnflushedBytes so many bytes of streams may wait while flushes fail
 * @param host of this node, for people who look at the object store
 * @param takesOver whether another node's object store may become this one's
 * @param withoutWal whether the WAL is given up: what is not flushed is lost
 * @param scrubEvery how often everything stored is verified again; null: never
 */
public record StoreOptions(
    Opener objects,
    @Nullable LogCache tail,
    @Nullable BlockCache blocks,
    Duration flushEvery,
    long flushBytes,
    long maxUnflushedBytes,
    String host,
    boolean takesOver,
    boolean withoutWal,
    @Nullable Duration scrubEvery) {
  /** So much is written with one request for data. */
  private static final long DEFAULT_FLUSH_BYTES = 64 << 20;

  private static final long DEFAULT_UNFLUSHED_BYTES = 8L << 30;

  /** Opens an object store. */
  public interface Opener {
    /**
     * Opens it; blocks.
     *
     * @param embedded a directory for it in the data directory
     */
    ObjectStore open(Path embedded) throws IOException;
  }

  /** In the data directory, without caches, flushed every minute. */
  public static StoreOptions embedded() {
    return new StoreOptions(
        DirectoryObjectStore::open,
        null,
        null,
        Duration.ofMinutes(1),
        DEFAULT_FLUSH_BYTES,
        DEFAULT_UNFLUSHED_BYTES,
        "localhost",
        /* takesOver= */ false,
        /* withoutWal= */ false,
        /* scrubEvery= */ null);
  }

  /** The same over another object store. */
  public StoreOptions in(Opener others) {
    return new StoreOptions(
        others,
        tail,
        blocks,
        flushEvery,
        flushBytes,
        maxUnflushedBytes,
        host,
        takesOver,
        withoutWal,
        scrubEvery);
  }

  /** The same with caches, which stay their maker's. */
  public StoreOptions with(@Nullable LogCache newTail, @Nullable BlockCache newBlocks) {
    return new StoreOptions(
        objects,
        newTail,
        newBlocks,
        flushEvery,
        flushBytes,
        maxUnflushedBytes,
        host,
        takesOver,
        withoutWal,
        scrubEvery);
  }

  /** The same, flushed at other times. */
  public StoreOptions flushing(Duration every, long bytes, long mostUnflushedBytes) {
    return new StoreOptions(
        objects,
        tail,
        blocks,
        every,
        bytes,
        mostUnflushedBytes,
        host,
        takesOver,
        withoutWal,
        scrubEvery);
  }

  /** The same for a node on another host, which may take a store over, or give its WAL up. */
  public StoreOptions owning(String newHost, boolean takes, boolean withoutItsWal) {
    return new StoreOptions(
        objects,
        tail,
        blocks,
        flushEvery,
        flushBytes,
        maxUnflushedBytes,
        newHost,
        takes,
        withoutItsWal,
        scrubEvery);
  }

  /** The same, with everything verified again so often; null for never. */
  public StoreOptions scrubbing(@Nullable Duration often) {
    return new StoreOptions(
        objects,
        tail,
        blocks,
        flushEvery,
        flushBytes,
        maxUnflushedBytes,
        host,
        takesOver,
        withoutWal,
        often);
  }
}
