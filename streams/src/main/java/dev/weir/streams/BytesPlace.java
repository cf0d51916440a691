package dev.weir.streams;

import java.nio.file.Path;

/**
 * Where bytes lie in the data directory that are not flushed yet.
 *
 * @param inSpool in a spool file; otherwise in a file of the WAL
 * @param file its number
 * @param position of the first byte in the file
 */
record BytesPlace(boolean inSpool, long file, long position) {
  Path path(StoreLayout layout) {
    return inSpool ? layout.spooled(file) : layout.journal(file);
  }
}
