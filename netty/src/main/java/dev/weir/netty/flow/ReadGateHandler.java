package dev.weir.netty.flow;

import dev.weir.netty.flow.ReadHolds.Reason;
import dev.weir.netty.loop.EventLoops;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The part of a {@link ReadGate} in one pipeline. Runs on the channel's event loop. */
final class ReadGateHandler extends ChannelDuplexHandler {
  private final ReadGate gate;
  private final boolean isListener;
  private final AtomicBoolean queued = new AtomicBoolean();
  private volatile @Nullable ChannelHandlerContext context;

  /** Its place in the gate's queue, if it is there. Written on the event loop. */
  private volatile long ticket;

  private final Runnable resumption = this::resumeNow;

  /** The closing of the gate, by its number, that does not stop this channel; 0: every one does. */
  private volatile long letThroughClosing;

  /**
   * Set by the event loop, cleared by whoever completes relief. A note that is lost between the two
   * lets one more channel through, which is harmless.
   */
  private volatile boolean progressed;

  ReadGateHandler(ReadGate gate, boolean isListener) {
    this.gate = gate;
    this.isListener = isListener;
  }

  /** Whether what this channel reads are connections. */
  boolean isListener() {
    return isListener;
  }

  /** Its channel while that is open and has this handler. */
  @Nullable Channel channel() {
    ChannelHandlerContext ctx = context;
    return ctx == null ? null : ctx.channel();
  }

  /** Whether its channel reads into memory that it has a permit for. On the event loop. */
  boolean isExempt() {
    ChannelHandlerContext ctx = context;
    return ctx != null && ReadHolds.of(ctx.channel()).isExempt();
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    EventLoops.requireOwn(ctx);
    if (!ctx.channel().isOpen()) {
      return; // Nobody tells of its end any more.
    }
    context = ctx;
    gate.added(this);
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    leave();
    ReadHolds.of(ctx.channel()).release(Reason.PRESSURE);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    leave();
    ctx.fireChannelInactive();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ctx.fireChannelRead(message);
    if (context != null && gate.mustStop(this)) {
      stop(ctx);
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    ReadHolds.of(ctx.channel()).heard(event);
    ctx.fireUserEventTriggered(event);
  }

  private void stop(ChannelHandlerContext ctx) {
    ReadHolds holds = ReadHolds.of(ctx.channel());
    if (!holds.hold(Reason.PRESSURE)) {
      return;
    }
    gate.await(this);
  }

  @Override
  public void read(ChannelHandlerContext ctx) {
    if (!ReadHolds.of(ctx.channel()).deferRead()) {
      ctx.read();
    }
  }

  /** Has the channel stop reading, on its event loop; from any thread. */
  void stopNow() {
    ChannelHandlerContext ctx = context;
    if (ctx == null) {
      return;
    }
    try {
      ctx.executor()
          .execute(() -> {
            if (context != null) {
              stop(ctx);
            }
          });
    } catch (RejectedExecutionException loopHasEnded) {
      // It reads nothing.
    }
  }

  private void leave() {
    context = null;
    gate.removed(this);
  }

  /** Notes that the gate's queue is about to hold this handler; {@code false} if it does so now. */
  boolean markQueued(AtomicLong tickets) {
    if (!queued.compareAndSet(false, true)) {
      return false;
    }
    ticket = tickets.incrementAndGet();
    return true;
  }

  boolean isQueued() {
    return queued.get();
  }

  long ticket() {
    return ticket;
  }

  /** Notes that this handler has left the gate's queue. */
  void markTaken() {
    queued.set(false);
  }

  /**
   * Lets the channel read again, and through the gate's {@code closing}, counted from 1.
   *
   * @return as {@link #resume}
   */
  boolean tryLetThrough(long closing) {
    letThroughClosing = closing;
    return resume();
  }

  /** Called after a read: whether {@code closing} does not stop this channel. */
  boolean readsThrough(long closing) {
    boolean through = letThroughClosing == closing;
    progressed |= through;
    return through;
  }

  /** Whether this channel has read through a closed gate since the last call. */
  boolean takeProgress() {
    boolean had = progressed;
    progressed = false;
    return had;
  }

  /**
   * Lets the channel read again, on its event loop; from any thread.
   *
   * @return {@code false} if that is not on its way, or there is nothing to resume: the channel has
   *     gone, or nothing more can come
   */
  boolean resume() {
    ChannelHandlerContext ctx = context;
    if (ctx == null) {
      return false;
    }
    try {
      boolean isOver = ReadHolds.of(ctx.channel()).isOver();
      ctx.executor().execute(resumption);
      return !isOver;
    } catch (RejectedExecutionException loopHasEnded) {
      return false;
    }
  }

  private void resumeNow() {
    ChannelHandlerContext ctx = context;
    if (ctx != null) {
      ReadHolds.of(ctx.channel()).release(Reason.PRESSURE);
    }
  }
}
