package dev.weir.cache.block;

/**
 * What a block cache holds and has done, in bytes where it says so.
 *
 * <pre>
 *   charged = cached + loading + ahead + orphaned
 * </pre>
 *
 * @param capacityBytes the most that it may charge
 * @param chargedBytes charged to its budget
 * @param cachedBytes pages that were read and are kept
 * @param loadingBytes pages under way
 * @param aheadBytes pages that were fetched ahead and are not read yet
 * @param orphanedBytes pages that the cache has let go of, and readers hold
 * @param pinnedBytes pages that readers hold, orphaned ones among them
 * @param hits reads of a page that was there, fetched ahead or not
 * @param misses reads that began a load
 * @param joined reads that waited for a load which had begun
 * @param loads that have filled a page
 * @param loadedBytes by these
 * @param failedLoads that failed; nothing of them is cached
 * @param cancelledLoads that nobody waited for any more
 * @param aheadLoadedBytes fetched ahead
 * @param aheadUsefulBytes of these, read later
 * @param aheadUnreadBytes of these, dropped unread
 * @param evictedBytes dropped after they were read
 * @param reclaimedBytes of memory, given back because others needed it
 * @param refused pages for which there was no room
 */
public record BlockCacheFigures(
    long capacityBytes,
    long chargedBytes,
    long cachedBytes,
    long loadingBytes,
    long aheadBytes,
    long orphanedBytes,
    long pinnedBytes,
    long hits,
    long misses,
    long joined,
    long loads,
    long loadedBytes,
    long failedLoads,
    long cancelledLoads,
    long aheadLoadedBytes,
    long aheadUsefulBytes,
    long aheadUnreadBytes,
    long evictedBytes,
    long reclaimedBytes,
    long refused) {}
