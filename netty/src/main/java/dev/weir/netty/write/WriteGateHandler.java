package dev.weir.netty.write;

import dev.weir.netty.loop.EventLoops;
import dev.weir.netty.write.OutboundClosing.Reason;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.MessageSizeEstimator;
import io.netty.util.Attribute;
import io.netty.util.AttributeKey;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The part of a {@link WriteGate} in one pipeline. Counts nothing itself: it looks at Netty's count
 * when something was written or flushed, and tells the gate what has changed. Runs on the channel's
 * event loop.
 */
final class WriteGateHandler extends ChannelDuplexHandler
    implements ChannelFutureListener, Runnable {
  /**
   * What may change before the gate is told of it, unless the queue is empty again: most responses
   * are written and flushed at once, and need not touch what all event loops share.
   */
  private static final long UNTOLD_BYTES = 4 << 10;

  /** As much as Netty counts for a task by default, beside its message. */
  private static final int TASK_BYTES = 32;

  /** The handler that a channel has. */
  private static final AttributeKey<WriteGateHandler> KEY =
      AttributeKey.valueOf(WriteGateHandler.class, "handler");

  private final WriteGate gate;
  private final WriteGateOptions options;
  private final ChannelClosing closing;
  private final ChannelFutureListener bytesWritten = this::bytesWritten;
  private final Waiters.Place<WriteGateHandler> place = new Waiters.Place<>(this);
  private volatile @Nullable ChannelHandlerContext context;

  private MessageSizeEstimator.@Nullable Handle sizes;
  private @Nullable SlowPeerWatch slowPeer;
  private @Nullable StuckPeerWatch stuckPeer;
  private @Nullable Pull pull;
  private long toldBytes;

  /**
   * What of Netty's count is on its way from other threads still: it comes behind a message. Too
   * much rather than too little, by what these are giving at the moment: for want of it a message
   * would be refused that has room.
   */
  private final AtomicLong comingBytes = new AtomicLong();

  private boolean flushing;
  private boolean looking;
  private boolean stopped;

  /** Whether handlers above may be in the middle of what they write. */
  private boolean writing;

  WriteGateHandler(WriteGate gate) {
    this.gate = gate;
    this.options = gate.options();
    this.closing = new ChannelClosing(gate);
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    Channel channel = ctx.channel();
    EventLoops.requireOwn(ctx);
    takePlace(ctx);
    channel.config().setWriteBufferWaterMark(gate.waterMark());
    sizes = channel.config().getMessageSizeEstimator().newHandle();
    // More than a long can tell is for ever.
    long slowNanos = TimeUnit.NANOSECONDS.convert(options.slowTime());
    slowPeer = new SlowPeerWatch(ctx.executor(), slowNanos, () -> closeIfSlow(ctx));
    stuckPeer = new StuckPeerWatch(ctx.executor(), slowNanos, () -> closeIfStuck(ctx));
    context = ctx;
    // What is queued already may be all there is for long.
    look(channel);
  }

  /** Makes sure that there is no other: two would lift what each of them has stopped. */
  private void takePlace(ChannelHandlerContext ctx) {
    Attribute<WriteGateHandler> attribute = ctx.channel().attr(KEY);
    WriteGateHandler other = attribute.get();
    if (other != null) {
      if (ctx.pipeline().context(other) != null) {
        throw new IllegalStateException(
            ctx.name()
                + " would be the second write gate of its channel, which has one write gate at a"
                + " time: remove the other before, or replace it");
      }
      // It is being replaced: Netty tells it later, and it must undo nothing then.
      other.leave(ctx.channel());
    }
    attribute.set(this);
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    leave(ctx.channel());
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    leave(ctx.channel());
    ctx.fireChannelInactive();
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    boolean outer = writing;
    writing = true;
    try {
      OutboundClosing why = closing.why();
      if (why != null && ctx.channel().isActive()) {
        ChannelClosing.refuse(message, promise, why);
      } else {
        writeOrRefuse(ctx, message, promise);
      }
    } finally {
      writing = outer;
    }
  }

  private void writeOrRefuse(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    boolean isBytes = message instanceof ByteBuf;
    OutboundClosing refusal;
    try {
      refusal = refusalOf(ctx, message);
    } catch (Throwable failure) {
      Unwritten.release(message);
      writeFailed(failure);
      promise.tryFailure(failure);
      return;
    }
    if (refusal != null) {
      closing.refused(ctx, refusal, toldBytes);
      ChannelClosing.refuse(message, promise, refusal);
      return;
    }
    ChannelFuture written = ctx.write(message, promise.unvoid());
    // A listener would not be told at once deep in a stack of listeners, and bytes would follow.
    if (!written.isDone()) {
      written.addListener(isBytes ? bytesWritten : this);
    } else if (isBytes) {
      bytesWritten(written);
    } else {
      operationComplete(written);
    }
    look(ctx.channel());
  }

  /**
   * Another thread is about to give a message to Netty, whose task is counted until it runs.
   *
   * @return to be run on the event loop behind that task; null if the channel has no gate
   * @throws RejectedExecutionException if the loop takes no task: Netty would leave the channel
   *     unwritable then
   */
  static @Nullable Runnable announce(Channel channel, Object message) {
    WriteGateHandler handler = channel.attr(KEY).get();
    if (handler == null) {
      return null;
    }
    long bytes =
        (long) TASK_BYTES + channel.config().getMessageSizeEstimator().newHandle().size(message);
    channel.eventLoop().execute(() -> {}); // Does it take any?
    handler.comingBytes.addAndGet(bytes);
    return () -> handler.comingBytes.addAndGet(-bytes);
  }

  /** Why a message must not be written, if it must not. */
  private @Nullable OutboundClosing refusalOf(ChannelHandlerContext ctx, Object message) {
    long queuedBytes = Math.max(0, QueuedBytes.of(ctx.channel()) - comingBytes.get());
    int bytes = sizes == null ? 0 : sizes.size(message);
    Reason reason = refusal(queuedBytes, bytes);
    return reason == null || !ctx.channel().isActive()
        ? null
        : OutboundClosing.refusing(reason, bytes, queuedBytes, gate);
  }

  @Override
  public void flush(ChannelHandlerContext ctx) {
    if (closing.isUnderWay(ctx.channel())) {
      return;
    }
    boolean outer = flushing;
    flushing = true;
    ctx.flush();
    flushing = outer;
    look(ctx.channel());
  }

  private void bytesWritten(ChannelFuture written) {
    if (UnbrokenStream.breaks(written)) {
      writeFailed(written.cause());
    }
    operationComplete(written);
  }

  /** Closes the channel: a part of what its peer was to get is missing. */
  void writeFailed(Throwable cause) {
    ChannelHandlerContext ctx = context;
    if (ctx == null || closing.why() != null || !ctx.channel().isActive()) {
      return;
    }
    closing.broken(ctx, cause, toldBytes);
    if (!writing) {
      // A handler below may have more to write, now, and is not refused.
      if (pull != null) {
        pull.fail(cause);
      }
      AbortiveClose.close(ctx);
    }
  }

  /** A write has ended. Netty counts it down after it has told of that. */
  @Override
  public void operationComplete(ChannelFuture written) {
    ChannelHandlerContext ctx = context;
    if (flushing || looking || ctx == null) {
      return;
    }
    looking = true;
    execute(ctx);
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    look(ctx.channel());
    ctx.fireChannelWritabilityChanged();
    pump();
  }

  /** Whether a producer may write another message. */
  boolean canTake() {
    ChannelHandlerContext ctx = context;
    return ctx != null
        && closing.why() == null
        && ctx.channel().isActive()
        && ctx.channel().isWritable()
        && !stopped;
  }

  /** Begins to ask a producer. */
  void begin(Channel channel, Producer producer, ChannelPromise promise) {
    if (promise.isDone()) {
      producer.stopped(new CancellationException());
      return;
    }
    if (pull != null) {
      pull.stopIfFailed();
    }
    Pull next = new Pull(channel, this, producer, promise);
    if (next.isOver()) {
      return; // Cancelled meanwhile, and its producer has been told.
    }
    if (context == null || !channel.isActive()) {
      next.fail(new ClosedChannelException());
    } else if (pull != null) {
      next.fail(new IllegalStateException("another producer writes to this channel"));
    } else {
      pull = next;
      next.pump();
    }
  }

  void pullEnded(Pull ended) {
    if (pull == ended) {
      pull = null;
    }
  }

  /** Among those who wait for the gate to open. */
  Waiters.Place<WriteGateHandler> place() {
    return place;
  }

  /** Looks again, on the event loop, since the gate has opened; from any thread. */
  void wakeUp() {
    ChannelHandlerContext ctx = context;
    if (ctx != null) {
      execute(ctx);
    }
  }

  private void execute(ChannelHandlerContext ctx) {
    try {
      ctx.executor().execute(this);
    } catch (RejectedExecutionException loopHasEnded) {
      looking = false; // Its channels were closed.
    }
  }

  /** The look that was put off until a handler is through, or that the gate asks for. */
  @Override
  public void run() {
    looking = false;
    ChannelHandlerContext ctx = context;
    if (ctx != null) {
      look(ctx.channel());
      pump();
    }
  }

  private void pump() {
    if (pull != null) {
      pull.pump();
    }
  }

  /** Tells the gate, the channel's writability and the slow peer's watch what is queued now. */
  private void look(Channel channel) {
    if (context == null) {
      return;
    }
    long queuedBytes = QueuedBytes.of(channel);
    long changeBytes = queuedBytes - toldBytes;
    if (changeBytes != 0 && (queuedBytes == 0 || Math.abs(changeBytes) >= UNTOLD_BYTES)) {
      toldBytes = queuedBytes;
      gate.add(changeBytes);
    }
    if (slowPeer != null) {
      slowPeer.observe(queuedBytes > options.slowBytes());
    }
    if (stuckPeer != null) {
      stuckPeer.observe(toldBytes == 0 ? 0 : QueuedBytes.unsent(channel));
    }
    boolean stop = queuedBytes > 0 && gate.isClosed();
    if (stop != stopped) {
      setStopped(channel, stop);
    }
    if (stop) {
      gate.await(this);
    }
  }

  private void setStopped(Channel channel, boolean stop) {
    stopped = stop;
    if (stop) {
      gate.countPause();
    } else {
      gate.countPauseEnd();
    }
    QueuedBytes.setWritable(channel, !stop, gate.waterMark());
  }

  private @Nullable Reason refusal(long queuedBytes, int bytes) {
    if (queuedBytes >= options.channelBytes()) {
      return Reason.CHANNEL_FULL;
    }
    return gate.queuedBytes() + queuedBytes - toldBytes + bytes > options.totalBytes()
        ? Reason.TOTAL_FULL
        : null;
  }

  /** What does not pass the gate may have gone unseen. */
  private void closeIfSlow(ChannelHandlerContext ctx) {
    look(ctx.channel());
    if (QueuedBytes.of(ctx.channel()) > options.slowBytes()) {
      closing.slow(ctx, toldBytes);
    }
  }

  /** A peer that takes nothing is in nobody's way, but while others wait for what it has queued. */
  private void closeIfStuck(ChannelHandlerContext ctx) {
    look(ctx.channel());
    if (stuckPeer != null && stuckPeer.isStuck()) {
      closing.stuck(ctx, toldBytes);
    }
  }

  private void leave(Channel channel) {
    if (context == null) {
      return;
    }
    context = null;
    channel.attr(KEY).compareAndSet(this, null);
    if (slowPeer != null) {
      slowPeer.stop();
    }
    if (stuckPeer != null) {
      stuckPeer.stop();
    }
    gate.add(-toldBytes);
    toldBytes = 0;
    closing.over();
    gate.forget(this);
    if (stopped) {
      setStopped(channel, /* stop= */ false);
    }
    if (pull != null) {
      pull.fail(new ClosedChannelException());
    }
  }
}
