package dev.weir.benchmarks.streams.load;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** Appends from 64 connections, each with one request at a time, to one stream after another. */
public interface AppendLoad {
  /** How many connections. */
  int CONNECTIONS = 64;

  /**
   * Appends for a while.
   *
   * @param bytes of each append
   * @throws IOException if the load cannot be made, or an answer was no success
   */
  Load run(Target target, int bytes, Duration length) throws IOException;

  /** Its name in reports. */
  String label();

  /** That by {@code wrk}, where it is installed. */
  static Optional<AppendLoad> wrk() {
    return Wrk.find();
  }
}
