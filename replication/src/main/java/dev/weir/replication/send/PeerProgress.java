package dev.weir.replication.send;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Notices a peer that takes nothing of what is there for it. Looks four times in each limit, at
 * what the system has taken. For the connection's event loop.
 */
public final class PeerProgress {
  private final Channel channel;
  private final long limitNanos;
  private final BooleanSupplier excused;
  private final Runnable onStall;
  private long lastNanos;
  private int message;
  private long bytesOfIt;
  private @Nullable Future<?> task;

  /**
   * Watches nothing yet.
   *
   * @param excused whether it is not the peer's turn
   */
  public PeerProgress(Channel channel, Duration limit, BooleanSupplier excused, Runnable onStall) {
    this.channel = channel;
    this.limitNanos = limit.toNanos();
    this.excused = excused;
    this.onStall = onStall;
  }

  /** Watches from now on. */
  public void start() {
    lastNanos = System.nanoTime();
    long period = Math.max(TimeUnit.MILLISECONDS.toNanos(5), limitNanos / 4);
    task =
        channel.eventLoop().scheduleAtFixedRate(this::look, period, period, TimeUnit.NANOSECONDS);
  }

  /** Watches no more. */
  public void stop() {
    if (task != null) {
      task.cancel(false);
      task = null;
    }
  }

  private void look() {
    ChannelOutboundBuffer queue = channel.unsafe().outboundBuffer();
    Object first = queue == null ? null : queue.current();
    int messageNow = System.identityHashCode(first);
    long bytesNow = queue == null || first == null ? 0 : queue.currentProgress();
    long now = System.nanoTime();
    if (messageNow != message || bytesNow != bytesOfIt || excused.getAsBoolean()) {
      message = messageNow;
      bytesOfIt = bytesNow;
      lastNanos = now;
    } else if (now - lastNanos > limitNanos) {
      stop();
      onStall.run();
    }
  }
}
