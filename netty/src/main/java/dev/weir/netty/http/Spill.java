package dev.weir.netty.http;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Where bodies go that are not for memory: files of a folder, up to a bound on all of them
 * together. A file has no name from the moment it is open (where the system deletes at close, from
 * then on), so nothing is left of it whatever becomes of the process. One serves all channels; its
 * methods may be called from any thread.
 */
public final class Spill {
  private final Path folder;
  private final long maximumBytes;
  private final int thresholdBytes;
  private final Duration patience;
  private final AtomicLong usedBytes = new AtomicLong();
  private final AtomicLong bodies = new AtomicLong();

  /**
   * Spills into {@code folder}.
   *
   * @param maximumBytes what all files may take together
   * @param thresholdBytes bodies larger than this go to a file at once
   * @param patience how long others wait for memory before they do
   * @throws IOException if the folder cannot be made
   */
  public Spill(Path folder, long maximumBytes, int thresholdBytes, Duration patience)
      throws IOException {
    if (maximumBytes <= 0 || thresholdBytes < 0 || !patience.isPositive()) {
      throw new IllegalArgumentException(
          "maximumBytes: %d, thresholdBytes: %d, patience: %s (expected: > 0, >= 0, > 0)"
              .formatted(maximumBytes, thresholdBytes, patience));
    }
    this.folder = Files.createDirectories(folder);
    this.maximumBytes = maximumBytes;
    this.thresholdBytes = thresholdBytes;
    this.patience = patience;
  }

  /** What the files take now: what their bodies declared, or have come to. */
  public long usedBytes() {
    return usedBytes.get();
  }

  /** How many bodies have gone to a file so far. */
  public long bodies() {
    return bodies.get();
  }

  int thresholdBytes() {
    return thresholdBytes;
  }

  Duration patience() {
    return patience;
  }

  /** Takes room for {@code bytes}, if there is. */
  boolean tryReserve(long bytes) {
    long used = usedBytes.addAndGet(bytes);
    if (used <= maximumBytes) {
      return true;
    }
    usedBytes.addAndGet(-bytes);
    return false;
  }

  void giveBack(long bytes) {
    usedBytes.addAndGet(-bytes);
  }

  /** Opens a file that nobody else can. */
  FileChannel open() throws IOException {
    FileChannel file =
        FileChannel.open(
            folder.resolve("body-" + UUID.randomUUID()),
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            StandardOpenOption.DELETE_ON_CLOSE);
    bodies.incrementAndGet();
    return file;
  }
}
