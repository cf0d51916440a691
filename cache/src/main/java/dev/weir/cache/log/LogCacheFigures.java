package dev.weir.cache.log;

import dev.weir.cache.seq.SeqFigures;

/**
 * What a log cache holds and has done. Bytes are those of batches, unless they say otherwise.
 *
 * @param capacityBytes the most that it may hold
 * @param chargedBytes charged to its budget: chunks, also those that only readers hold
 * @param batchBytes of the cached batches, without what describes them
 * @param batches how many are cached
 * @param streams how many streams have cached batches
 * @param unflushedBytes of batches that must be kept
 * @param descriptionBytes off the Java heap, in front of the batches
 * @param indexHeapBytes of the Java heap, about
 * @param chunks what the allocator of the chunks holds, waste by kind
 * @param pinnedBytes chunks that readers have slices of
 * @param orphanedBytes of these, chunks that the cache has let go of
 * @param reads how often the cache was read
 * @param hits reads of which it had everything
 * @param partialHits reads of which it had the beginning, the end, or something between
 * @param misses reads of which it had nothing
 * @param refusedReads reads for whose copy there was no memory
 * @param readBytes handed to readers
 * @param copiedBytes of these, copied because readers pinned as much as they may
 * @param evictedBytes dropped to make room
 * @param reclaimedBytes of memory, given back because others needed it
 * @param refusedPuts batches for which there was no room
 */
public record LogCacheFigures(
    long capacityBytes,
    long chargedBytes,
    long batchBytes,
    long batches,
    long streams,
    long unflushedBytes,
    long descriptionBytes,
    long indexHeapBytes,
    SeqFigures chunks,
    long pinnedBytes,
    long orphanedBytes,
    long reads,
    long hits,
    long partialHits,
    long misses,
    long refusedReads,
    long readBytes,
    long copiedBytes,
    long evictedBytes,
    long reclaimedBytes,
    long refusedPuts) {}
