package dev.weir.server.http;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Ticker;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Notices a peer that keeps a connection, or a stream, waiting: one that sends next to nothing of a
 * body, or takes no byte of what is there for it. For one event loop.
 *
 * <p>A body holds a place, and up to 256 KiB of memory, of which {@link #LEAST_BYTES} are the 256th
 * part that {@code BudgetedHttpAggregator} asks for; what it holds on the disk is what has come of
 * it. Only the client's own time counts: that from {@link #receiving} to {@link #waiting}, without
 * that in which what it has sent is not read, or in which it reads on towards what lets it send.
 */
final class StallGuard {
  /** What must come of a body within the limit, which is no burden for the slowest of lines. */
  static final int LEAST_BYTES = 1 << 10;

  /** What carries the guarded bytes. */
  @FunctionalInterface
  interface Carriage {
    /** Whether bytes have moved since it was asked last: of those that nobody tells of. */
    boolean outputMoves();

    /** Whether the client has said that it takes more: what it takes now is in front of that. */
    default boolean mayRespond() {
      return true;
    }

    /** Whether what lets the client send on is behind what it takes now. */
    default boolean clientAwaitsWindow() {
      return false;
    }

    /** For how long, in all, what the client has sent was not read. */
    default long unreadNanos() {
      return 0;
    }
  }

  private static final long NEVER = Long.MAX_VALUE;

  private final HttpLimits limits;
  private final Carriage carriage;
  private final Runnable onStall;
  private Ticker ticker = Ticker.systemTicker();
  private @Nullable Future<?> task;
  private long limitNanos;
  private long lastProgressNanos;
  private boolean receiving;

  /** Of the body, since it made progress: what has come, and the time that its client has taken. */
  private int bytesOfBody;

  private long clientNanos;

  StallGuard(HttpLimits limits, Runnable onStall) {
    this(limits, () -> false, onStall);
  }

  /** Guards nothing yet. */
  StallGuard(HttpLimits limits, Carriage carriage, Runnable onStall) {
    this.limits = limits;
    this.carriage = carriage;
    this.onStall = onStall;
    this.limitNanos = limits.idleTimeout().toNanos();
  }

  void start(EventExecutor loop) {
    ticker = loop.ticker();
    progress();
    // Often enough to keep the shortest limit within a quarter.
    long shortest = Math.min(limits.idleTimeout().toMillis(), limits.stallTimeout().toMillis());
    long period = Math.max(10, shortest / 4);
    task = loop.scheduleAtFixedRate(this::look, period, period, TimeUnit.MILLISECONDS);
  }

  void stop() {
    Future<?> running = task;
    if (running != null) {
      running.cancel(false);
    }
  }

  /** Bytes moved. While the client has to send, only {@link #received} tells of progress. */
  void progress() {
    if (!receiving) {
      lastProgressNanos = now();
    }
  }

  /** By a clock that stands still while a client that has to send is not read. */
  private long now() {
    long nanos = ticker.nanoTime();
    return receiving ? nanos - carriage.unreadNanos() : nanos;
  }

  /** So much of a body has come, which is progress together with what came before. */
  void received(int bytes) {
    bytesOfBody += Math.min(bytes, LEAST_BYTES);
    if (bytesOfBody >= LEAST_BYTES) {
      bytesOfBody = 0;
      clientNanos = 0;
      lastProgressNanos = now();
    }
  }

  /** Between requests. */
  void idle() {
    limit(limits.idleTimeout().toNanos());
  }

  /** The client has to send, in what it has left of the limit. */
  void receiving() {
    if (!receiving) {
      receiving = true;
      limitNanos = limits.stallTimeout().toNanos();
      lastProgressNanos = now() - clientNanos;
    }
  }

  /** The client, which has to send, has heard only now that it may. */
  void windowHeard() {
    if (receiving) {
      lastProgressNanos = now();
    }
  }

  /** The client has to read. */
  void writing() {
    limit(limits.stallTimeout().toNanos());
  }

  /** This side is at work, or both wait for something to happen. */
  void waiting() {
    if (receiving) {
      clientNanos = now() - lastProgressNanos;
      receiving = false;
    }
    limitNanos = NEVER;
  }

  private void limit(long nanos) {
    receiving = false;
    bytesOfBody = 0;
    clientNanos = 0;
    limitNanos = nanos;
    progress();
  }

  private void look() {
    boolean outputMoves = carriage.outputMoves();
    boolean leadsOn = receiving ? carriage.clientAwaitsWindow() : carriage.mayRespond();
    if (outputMoves && leadsOn) {
      lastProgressNanos = now();
    } else if (now() - lastProgressNanos > limitNanos) {
      lastProgressNanos = now();
      onStall.run();
    }
  }
}
