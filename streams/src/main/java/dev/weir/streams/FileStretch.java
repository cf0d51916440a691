package dev.weir.streams;

import java.nio.channels.FileChannel;

/**
 * Bytes of a stream in a file, for {@code sendfile}: those of a segment are verified.
 *
 * @param file open for its taker, who closes it; stays readable when the file is deleted
 * @param position of the first one in the file
 */
public record FileStretch(FileChannel file, long position, long lengthBytes) {}
