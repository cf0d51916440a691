package dev.weir.streams.objects.directory;

import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * ETags of files: the time of the last change in microseconds, and the length. A store sets that
 * time itself, and no two of its writes get the same one. Whatever replaces a file gets a later
 * time than the file had, also if the clock went back.
 */
final class Stamps {
  private final AtomicLong last = new AtomicLong();

  /** A stamp in microseconds, later than each before. */
  long next() {
    long now = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    return last.updateAndGet(before -> Math.max(before + 1, now));
  }

  static long micros(BasicFileAttributes file) {
    return file.lastModifiedTime().to(TimeUnit.MICROSECONDS);
  }

  static String etag(BasicFileAttributes file) {
    return etag(micros(file), file.size());
  }

  static String etag(long micros, long lengthBytes) {
    return Long.toHexString(micros) + "-" + Long.toHexString(lengthBytes);
  }
}
