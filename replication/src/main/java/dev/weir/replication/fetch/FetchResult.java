package dev.weir.replication.fetch;

import java.nio.file.Path;

/**
 * What a fetch came to.
 *
 * @param directory the container's
 * @param entries files and directories
 * @param bytes the sizes of all files
 * @param dataBytes those outside holes
 * @param seconds from the first request to the last rename
 */
public record FetchResult(
    Path directory, long entries, long bytes, long dataBytes, double seconds) {}
