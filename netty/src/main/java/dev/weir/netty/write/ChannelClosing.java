package dev.weir.netty.write;

import dev.weir.netty.write.OutboundClosing.Reason;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Why and how a {@link WriteGate} closes one channel. Once it does, nothing is to be written or
 * flushed: a stream of bytes with a hole in it is worth nothing. Used on the channel's event loop.
 */
final class ChannelClosing {
  private static final System.Logger LOG = System.getLogger(WriteGate.class.getName());

  private final WriteGate gate;
  private @Nullable OutboundClosing why;

  /** What the gate has been told of it since the channel is being closed. */
  private long leavingBytes;

  ChannelClosing(WriteGate gate) {
    this.gate = gate;
  }

  /** Why the channel is being closed, once it is. */
  @Nullable OutboundClosing why() {
    return why;
  }

  /** Whether nothing is to be sent any more, though the channel is open still. */
  boolean isUnderWay(Channel channel) {
    return why != null && channel.isActive();
  }

  /**
   * A message must not be written.
   *
   * @param queuedBytes what the gate takes the channel to have queued, here as below
   */
  void refused(ChannelHandlerContext ctx, OutboundClosing refusal, long queuedBytes) {
    gate.countRefusal();
    begin(ctx, refusal, queuedBytes);
  }

  /** A part of what the peer was to get is missing. */
  void broken(ChannelHandlerContext ctx, Throwable cause, long queuedBytes) {
    gate.countBrokenClosing();
    begin(ctx, OutboundClosing.brokenBy(cause, QueuedBytes.of(ctx.channel())), queuedBytes);
  }

  /** The peer has left too much for too long. */
  void slow(ChannelHandlerContext ctx, long queuedBytes) {
    WriteGateOptions options = gate.options();
    beginSlow(
        ctx,
        slowPeer(
            ctx,
            "the peer has left more than %d bytes queued for %s"
                .formatted(options.slowBytes(), options.slowTime())),
        queuedBytes);
  }

  /** The peer takes next to nothing: it stays, unless others wait for what it has queued. */
  void stuck(ChannelHandlerContext ctx, long queuedBytes) {
    if (why != null) {
      return;
    }
    if (gate.tryAddLeaving(queuedBytes)) {
      leavingBytes = queuedBytes;
      beginSlow(
          ctx,
          slowPeer(
              ctx,
              "while others wait, the peer has taken less than half of what was queued for it, in "
                  + gate.options().slowTime()),
          queuedBytes);
    }
  }

  private static OutboundClosing slowPeer(ChannelHandlerContext ctx, String words) {
    return new OutboundClosing(Reason.SLOW_PEER, QueuedBytes.of(ctx.channel()), words);
  }

  private void beginSlow(ChannelHandlerContext ctx, OutboundClosing reason, long queuedBytes) {
    if (why != null) {
      return;
    }
    gate.countSlowClosing();
    begin(ctx, reason, queuedBytes);
  }

  /**
   * The close, and what is told of it, wait until the handlers above have left what they are in the
   * middle of: somebody who hears of it may write, and an encoder is not made for that.
   */
  private void begin(ChannelHandlerContext ctx, OutboundClosing reason, long queuedBytes) {
    if (why != null) {
      return;
    }
    why = reason;
    if (leavingBytes == 0) {
      leavingBytes = queuedBytes;
      gate.addLeaving(leavingBytes);
    }
    LOG.log(
        System.Logger.Level.WARNING,
        "closing {0} with {1} bytes queued: {2}",
        ctx.channel(),
        Long.toString(reason.queuedBytes()),
        reason.message());
    try {
      ctx.executor()
          .execute(() -> {
            ctx.fireUserEventTriggered(reason);
            AbortiveClose.close(ctx);
          });
    } catch (RejectedExecutionException e) {
      AbortiveClose.close(ctx); // Its loop takes no task: nobody else would.
    }
  }

  /** The promise's listeners may write: only once that is refused too. */
  static void refuse(Object message, ChannelPromise promise, OutboundClosing why) {
    Unwritten.release(message);
    promise.tryFailure(new WriteRefusedException(why.reason(), why.message()));
  }

  /** The channel is closed, or nobody's any more. */
  void over() {
    gate.addLeaving(-leavingBytes);
    leavingBytes = 0;
  }
}
