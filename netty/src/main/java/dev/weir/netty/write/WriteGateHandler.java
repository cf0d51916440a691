package dev.weir.netty.write;

import dev.weir.netty.write.OutboundClosing.Reason;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.MessageSizeEstimator;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The part of a {@link WriteGate} in one pipeline. Counts nothing itself: it looks at Netty's count
 * when something was written or flushed, and tells the gate what has changed. Runs on the channel's
 * event loop.
 */
final class WriteGateHandler extends ChannelDuplexHandler
    implements ChannelFutureListener, Runnable {
  private static final System.Logger LOG = System.getLogger(WriteGate.class.getName());

  /**
   * What may change before the gate is told of it, unless the queue is empty again: most responses
   * are written and flushed at once, and need not touch what all event loops share.
   */
  private static final long UNTOLD_BYTES = 4 << 10;

  private final WriteGate gate;
  private final WriteGateOptions options;
  private final ChannelFutureListener bytesWritten = this::bytesWritten;
  private final Waiters.Place<WriteGateHandler> place = new Waiters.Place<>(this);
  private volatile @Nullable ChannelHandlerContext context;

  private MessageSizeEstimator.@Nullable Handle sizes;
  private @Nullable BytesOnTheirWay onTheirWay;
  private @Nullable SlowPeerWatch slowPeer;
  private @Nullable StuckPeerWatch stuckPeer;
  private @Nullable Pull pull;
  private long toldBytes;

  /** What the gate has been told of it since the channel is being closed. */
  private long leavingBytes;

  private boolean flushing;
  private boolean looking;
  private boolean stopped;

  /** Whether handlers above may be in the middle of what they write. */
  private boolean writing;

  /** Why the channel is being closed, once it is. */
  private @Nullable OutboundClosing closing;

  WriteGateHandler(WriteGate gate) {
    this.gate = gate;
    this.options = gate.options();
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    Channel channel = ctx.channel();
    if (channel.isRegistered() && !ctx.executor().equals(channel.eventLoop())) {
      throw new IllegalStateException("a write gate runs on the channel's own event loop");
    }
    channel.config().setWriteBufferWaterMark(gate.waterMark());
    sizes = channel.config().getMessageSizeEstimator().newHandle();
    onTheirWay = BytesOnTheirWay.of(channel);
    // More than a long can tell is for ever.
    long slowNanos = TimeUnit.NANOSECONDS.convert(options.slowTime());
    slowPeer = new SlowPeerWatch(ctx.executor(), slowNanos, () -> closeIfSlow(ctx));
    stuckPeer = new StuckPeerWatch(ctx.executor(), slowNanos, () -> closeIfStuck(ctx));
    context = ctx;
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
      OutboundClosing why = closing;
      if (why != null && ctx.channel().isActive()) {
        refuse(message, promise, why);
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
    ChannelPromise told;
    try {
      refusal = refusalOf(ctx, message);
      told = promise.unvoid();
    } catch (Throwable failure) {
      // Nobody else has it yet.
      if (isBytes) {
        writeFailed(failure);
      }
      Unwritten.release(message);
      promise.tryFailure(failure);
      return;
    }
    if (refusal != null) {
      gate.countRefusal();
      close(ctx, refusal);
      refuse(message, promise, refusal);
      return;
    }
    ChannelFuture written = ctx.write(message, told);
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

  /** Why a message must not be written, if it must not. */
  private @Nullable OutboundClosing refusalOf(ChannelHandlerContext ctx, Object message) {
    long laterBytes = onTheirWay == null ? 0 : onTheirWay.bytes();
    long queuedBytes = Math.max(0, QueuedBytes.of(ctx.channel()) - laterBytes);
    int bytes = sizes == null ? 0 : sizes.size(message);
    Reason reason = refusal(queuedBytes, bytes);
    return reason == null || !ctx.channel().isActive()
        ? null
        : OutboundClosing.refusing(reason, bytes, queuedBytes, gate);
  }

  @Override
  public void flush(ChannelHandlerContext ctx) {
    if (isClosing(ctx)) {
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
    if (ctx == null || closing != null || !ctx.channel().isActive()) {
      return;
    }
    gate.countBrokenClosing();
    close(ctx, OutboundClosing.brokenBy(cause, QueuedBytes.of(ctx.channel())));
    if (!writing) {
      // A handler below may have more to write, now, and is not refused.
      if (pull != null) {
        pull.fail(cause);
      }
      StreamReset.close(ctx);
    }
  }

  /**
   * A write has ended. Netty counts it down after it has told of that. Where the loop takes no task
   * for that look, the next write, flush or timer has one.
   */
  @Override
  public void operationComplete(ChannelFuture written) {
    ChannelHandlerContext ctx = context;
    if (flushing || looking || ctx == null) {
      return;
    }
    looking = true;
    try {
      ctx.executor().execute(this);
    } catch (Throwable endedOrNoHeap) {
      looking = false;
    }
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
        && closing == null
        && ctx.channel().isActive()
        && ctx.channel().isWritable()
        && !stopped;
  }

  /** Begins to ask a producer. */
  void begin(Channel channel, Producer producer, ChannelPromise promise) {
    Pull next;
    try {
      if (promise.isDone()) {
        throw new CancellationException();
      }
      next = new Pull(channel, this, producer, promise);
    } catch (Throwable cancelledOrNoHeap) {
      promise.tryFailure(cancelledOrNoHeap);
      producer.stopped(cancelledOrNoHeap);
      return;
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

  /**
   * Looks again, on the event loop, since the gate has opened; from any thread. Where the loop
   * takes no task, what it has queued leads to another look.
   */
  void wakeUp() {
    ChannelHandlerContext ctx = context;
    if (ctx == null) {
      return;
    }
    try {
      ctx.executor().execute(this);
    } catch (Throwable endedOrNoHeap) {
      // As said above; if it has ended, its channels were closed.
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
      stopped = stop;
      QueuedBytes.setWritable(channel, !stop, gate.waterMark());
    }
    if (stop) {
      gate.await(this);
    }
  }

  private @Nullable Reason refusal(long queuedBytes, int bytes) {
    if (queuedBytes >= options.channelBytes()) {
      return Reason.CHANNEL_FULL;
    }
    return gate.queuedBytes() + queuedBytes - toldBytes + bytes > options.totalBytes()
        ? Reason.TOTAL_FULL
        : null;
  }

  /** The promise's listeners may write: only once that is refused too. */
  private static void refuse(Object message, ChannelPromise promise, OutboundClosing why) {
    Unwritten.release(message);
    promise.tryFailure(new WriteRefusedException(why.reason(), why.message()));
  }

  /** Whether nothing is to be sent any more, though the channel is open still. */
  private boolean isClosing(ChannelHandlerContext ctx) {
    return closing != null && ctx.channel().isActive();
  }

  /** What does not pass the gate may have gone unseen. */
  private void closeIfSlow(ChannelHandlerContext ctx) {
    look(ctx.channel());
    if (QueuedBytes.of(ctx.channel()) <= options.slowBytes()) {
      return;
    }
    closeSlow(
        ctx,
        "the peer has left more than %d bytes queued for %s"
            .formatted(options.slowBytes(), options.slowTime()));
  }

  /** A peer that takes nothing is in nobody's way, but while others wait for what it has queued. */
  private void closeIfStuck(ChannelHandlerContext ctx) {
    look(ctx.channel());
    if (closing == null
        && stuckPeer != null
        && stuckPeer.isStuck()
        && gate.tryAddLeaving(toldBytes)) {
      leavingBytes = toldBytes;
      closeSlow(
          ctx,
          "while others wait, the peer has taken less than half of what was queued for it, in %s"
              .formatted(options.slowTime()));
    }
  }

  private void closeSlow(ChannelHandlerContext ctx, String words) {
    if (closing != null) {
      return;
    }
    gate.countSlowClosing();
    close(ctx, new OutboundClosing(Reason.SLOW_PEER, QueuedBytes.of(ctx.channel()), words));
  }

  /**
   * A stream of bytes with a hole in it is worth nothing, so the channel goes: from now on nothing
   * is written or flushed. The close, and what is told of it, wait until the handlers above have
   * left what they are in the middle of: somebody who hears of it may write, and an encoder is not
   * made for that.
   */
  private void close(ChannelHandlerContext ctx, OutboundClosing why) {
    if (closing != null) {
      return;
    }
    closing = why;
    if (leavingBytes == 0) {
      leavingBytes = toldBytes;
      gate.addLeaving(leavingBytes);
    }
    try {
      LOG.log(
          System.Logger.Level.WARNING,
          "closing {0} with {1} bytes queued: {2}",
          ctx.channel(),
          Long.toString(why.queuedBytes()),
          why.message());
    } catch (Throwable noHeap) {
      // It is closed all the same.
    }
    try {
      ctx.executor()
          .execute(() -> {
            ctx.fireUserEventTriggered(why);
            StreamReset.close(ctx);
          });
    } catch (Throwable endedOrNoHeap) {
      // Nothing could be told later either.
      StreamReset.close(ctx);
    }
  }

  private void leave(Channel channel) {
    if (context == null) {
      return;
    }
    context = null;
    if (slowPeer != null) {
      slowPeer.stop();
    }
    if (stuckPeer != null) {
      stuckPeer.stop();
    }
    gate.add(-toldBytes);
    toldBytes = 0;
    gate.addLeaving(-leavingBytes);
    leavingBytes = 0;
    gate.forget(this);
    if (stopped) {
      stopped = false;
      QueuedBytes.setWritable(channel, true, gate.waterMark());
    }
    if (pull != null) {
      pull.fail(new ClosedChannelException());
    }
  }
}
