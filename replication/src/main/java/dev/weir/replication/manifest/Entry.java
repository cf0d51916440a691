package dev.weir.replication.manifest;

/**
 * A file or a directory of a container.
 *
 * @param path relative to the container, with '/' between names
 * @param mode the permission bits
 * @param size of a file, in bytes; 0 for a directory
 */
public record Entry(boolean isDirectory, String path, int mode, long size) {}
