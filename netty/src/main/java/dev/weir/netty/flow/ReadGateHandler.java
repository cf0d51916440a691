package dev.weir.netty.flow;

import dev.weir.netty.flow.ReadHolds.Reason;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The part of a {@link ReadGate} in one pipeline. Runs on the channel's event loop. */
final class ReadGateHandler extends ChannelDuplexHandler {
  private final ReadGate gate;
  private final AtomicBoolean queued = new AtomicBoolean();
  private volatile @Nullable ChannelHandlerContext context;

  /** The closing of the gate, by its number, that does not stop this channel; 0: every one does. */
  private volatile long letThroughClosing;

  /**
   * Set by the event loop, cleared by whoever completes relief. A note that is lost between the two
   * lets one more channel through, which is harmless.
   */
  private volatile boolean progressed;

  ReadGateHandler(ReadGate gate) {
    this.gate = gate;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    context = null;
    ReadHolds.of(ctx.channel()).release(Reason.PRESSURE);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    context = null;
    ctx.fireChannelInactive();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ctx.fireChannelRead(message);
    if (gate.mustStop(this) && ReadHolds.of(ctx.channel()).hold(Reason.PRESSURE)) {
      gate.await(this);
    }
  }

  @Override
  public void read(ChannelHandlerContext ctx) {
    if (!ReadHolds.of(ctx.channel()).deferRead()) {
      ctx.read();
    }
  }

  /** Notes that the gate's queue is about to hold this handler; {@code false} if it does so now. */
  boolean markQueued() {
    return queued.compareAndSet(false, true);
  }

  /** Notes that this handler has left the gate's queue. */
  void markTaken() {
    queued.set(false);
  }

  /** Notes that the gate's {@code closing}, counted from 1, does not stop this channel. */
  void letThrough(long closing) {
    letThroughClosing = closing;
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
   * @return {@code false} if there is nothing to resume: the channel has gone
   */
  boolean resume() {
    ChannelHandlerContext ctx = context;
    if (ctx == null) {
      return false;
    }
    try {
      ctx.executor().execute(() -> ReadHolds.of(ctx.channel()).release(Reason.PRESSURE));
      return true;
    } catch (RejectedExecutionException eventLoopHasEnded) {
      return false;
    }
  }
}
