package dev.weir.replication.command;

import dev.weir.replication.net.Amount;
import dev.weir.replication.net.RateLimit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A file that says the rate, looked at every second. What is no amount changes nothing. */
final class RateFile implements AutoCloseable {
  private final Path file;
  private final RateLimit limit;
  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("weir-rate").factory());

  private RateFile(Path file, RateLimit limit) {
    this.file = file;
    this.limit = limit;
  }

  /**
   * Reads it, and goes on to.
   *
   * @param file null: returns null
   * @throws IOException when it cannot be read, or says no amount
   */
  static @Nullable RateFile watch(@Nullable Path file, RateLimit limit) throws IOException {
    if (file == null) {
      return null;
    }
    RateFile watched = new RateFile(file, limit);
    try {
      watched.read();
    } catch (IllegalArgumentException e) {
      throw new IOException(file + " says no rate: " + e.getMessage(), e);
    }
    var _ = watched.clock.scheduleWithFixedDelay(watched::readQuietly, 1, 1, TimeUnit.SECONDS);
    return watched;
  }

  private void read() throws IOException {
    limit.set(Amount.parse(Files.readString(file)));
  }

  private void readQuietly() {
    try {
      read();
    } catch (IOException | IllegalArgumentException e) {
      // It is being written, or has gone: the last rate stays.
    }
  }

  @Override
  public void close() {
    clock.shutdownNow();
  }
}
