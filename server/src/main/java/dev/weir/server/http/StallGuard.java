package dev.weir.server.http;

import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Notices a peer that keeps a connection waiting. For one event loop. */
final class StallGuard {
  private static final long NEVER = Long.MAX_VALUE;

  private final HttpLimits limits;
  private final Runnable onStall;
  private @Nullable Future<?> task;
  private long limitNanos;
  private long lastProgressNanos;

  StallGuard(HttpLimits limits, Runnable onStall) {
    this.limits = limits;
    this.onStall = onStall;
    this.limitNanos = limits.idleTimeout().toNanos();
  }

  void start(EventExecutor loop) {
    progress();
    // Often enough to keep the shortest limit within a quarter.
    long shortest = Math.min(limits.idleTimeout().toMillis(), limits.stallTimeout().toMillis());
    long period = Math.max(10, shortest / 4);
    task = loop.scheduleAtFixedRate(this::check, period, period, TimeUnit.MILLISECONDS);
  }

  void stop() {
    Future<?> running = task;
    if (running != null) {
      running.cancel(false);
    }
  }

  /** Bytes moved. */
  void progress() {
    lastProgressNanos = System.nanoTime();
  }

  /** Between requests. */
  void idle() {
    limit(limits.idleTimeout().toNanos());
  }

  /** The client has to send. */
  void receiving() {
    limit(limits.stallTimeout().toNanos());
  }

  /** The client has to read. */
  void writing() {
    limit(limits.stallTimeout().toNanos());
  }

  /** This side is at work, or both wait for something to happen. */
  void waiting() {
    limit(NEVER);
  }

  private void limit(long nanos) {
    limitNanos = nanos;
    progress();
  }

  private void check() {
    if (System.nanoTime() - lastProgressNanos > limitNanos) {
      progress();
      onStall.run();
    }
  }
}
