package dev.weir.cache.log;

import dev.weir.cache.CacheSlice;

/**
 * Consecutive records of a stream, as they were put.
 *
 * @param baseOffset of the first record
 * @param endOffset behind the last one
 * @param bytes all of the batch; the holder of the {@link LogRead} releases it
 */
public record CachedBatch(long baseOffset, long endOffset, CacheSlice bytes) {}
