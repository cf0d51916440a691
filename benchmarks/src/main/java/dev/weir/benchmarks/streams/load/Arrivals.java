package dev.weir.benchmarks.streams.load;

import java.util.concurrent.CountDownLatch;

/** The messages that have arrived. On the readers' event loop, but for the latch. */
final class Arrivals {
  private final CountDownLatch started;
  private Samples samples = new Samples();

  Arrivals(int readers) {
    this.started = new CountDownLatch(readers);
  }

  /** Counts down to readers that wait for messages. */
  CountDownLatch started() {
    return started;
  }

  /** A message that was sent at a time of {@link System#nanoTime}. */
  void arrived(long sentNanos) {
    samples.add(System.nanoTime() - sentNanos);
  }

  /** How many there are. */
  int count() {
    return samples.count();
  }

  /** What there is, and begins anew. */
  Samples take() {
    Samples taken = samples;
    samples = new Samples();
    return taken;
  }
}
