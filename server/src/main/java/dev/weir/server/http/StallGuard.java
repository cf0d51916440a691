package dev.weir.server.http;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Ticker;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Notices a peer that keeps a connection, or a stream, waiting: one that sends no byte, and takes
 * none of what is there for it. For one event loop.
 */
final class StallGuard {
  private static final long NEVER = Long.MAX_VALUE;

  private final HttpLimits limits;
  private final BooleanSupplier hasMoved;
  private final Runnable onStall;
  private Ticker ticker = Ticker.systemTicker();
  private @Nullable Future<?> task;
  private long limitNanos;
  private long lastProgressNanos;

  StallGuard(HttpLimits limits, Runnable onStall) {
    this(limits, () -> false, onStall);
  }

  /**
   * Guards nothing yet.
   *
   * @param hasMoved whether bytes have moved since it was asked last: of those that nobody tells of
   */
  StallGuard(HttpLimits limits, BooleanSupplier hasMoved, Runnable onStall) {
    this.limits = limits;
    this.hasMoved = hasMoved;
    this.onStall = onStall;
    this.limitNanos = limits.idleTimeout().toNanos();
  }

  void start(EventExecutor loop) {
    ticker = loop.ticker();
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
    lastProgressNanos = ticker.nanoTime();
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
    if (hasMoved.getAsBoolean()) {
      progress();
    } else if (ticker.nanoTime() - lastProgressNanos > limitNanos) {
      progress();
      onStall.run();
    }
  }
}
