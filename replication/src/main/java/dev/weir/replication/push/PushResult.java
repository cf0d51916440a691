package dev.weir.replication.push;

/**
 * What a push came to.
 *
 * @param id of the import at the server
 * @param entries files and directories
 * @param bytes the sizes of all files
 * @param seconds from the first look at the directory to the name at the server
 */
public record PushResult(String id, long entries, long bytes, double seconds) {}
