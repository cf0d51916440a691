package dev.weir.streams;

import java.nio.file.Path;

/**
 * Bytes of a stream in a file, verified: for {@code sendfile}.
 *
 * @param position of the first one in the file
 */
public record FileStretch(Path file, long position, long lengthBytes) {}
