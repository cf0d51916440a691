package dev.weir.netty.write;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelOutboundInvoker;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http2.Http2StreamChannel;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * One {@link Owned} on its way through a pipeline, linked with the channel's other writes in {@link
 * OwnedWrites}. Whoever takes it out of there gives back what is left of it.
 */
final class OwnedWrite implements ChannelFutureListener {
  private final Owned owned;
  private final Channel channel;

  /** Whose queue its bytes come to in the end: for a stream of HTTP/2, its connection. */
  private final Channel carrier;

  private final ChannelPromise promise;

  /** Links of {@link OwnedWrites}; one that was cancelled has the second alone. */
  @Nullable OwnedWrite previous;

  @Nullable OwnedWrite next;

  OwnedWrite(Owned owned, Channel channel, ChannelPromise promise) {
    this.owned = owned;
    this.channel = channel;
    this.carrier = channel instanceof Http2StreamChannel ? channel.parent() : channel;
    this.promise = promise;
  }

  /** Gives the message to the pipeline; from any thread, since Netty brings it to the loop. */
  void begin(ChannelOutboundInvoker through, Object message, boolean flush) {
    if (!channel.isOpen() || !carrier.isOpen()) {
      // Its handlers are gone or going, and who looks after what they lose.
      fail(new ClosedChannelException());
      return;
    }
    if (channel.eventLoop().isShutdown()) {
      fail(new RejectedExecutionException("the event loop of " + channel + " has ended"));
      return;
    }
    if (!OwnedWrites.of(carrier).add(this)) {
      fail(new ClosedChannelException());
      return;
    }
    promise.addListener(this);
    Runnable arrival = null;
    try {
      if (!channel.eventLoop().inEventLoop()) {
        arrival = WriteGateHandler.announce(channel, message);
      }
      ChannelPromise written = writtenPromise();
      if (flush) {
        through.writeAndFlush(message, written);
      } else {
        through.write(message, written);
      }
    } catch (Throwable failure) {
      promise.tryFailure(failure);
    }
    if (arrival != null) {
      runBehindWrite(arrival);
    }
    if (promise.isDone()) {
      operationComplete(promise); // The loop may have ended: nobody else would.
    }
  }

  private void runBehindWrite(Runnable arrival) {
    try {
      channel.eventLoop().execute(arrival);
    } catch (RuntimeException | Error noneTaken) {
      arrival.run();
    }
  }

  /** The pipeline gets the message now. */
  void hand() {
    owned.hand();
  }

  /**
   * What the pipeline completes. A stream of HTTP/2 does so when its connection's writes end, and
   * would log that its promise has been completed by {@link #abandon}: it gets one of its own.
   */
  private ChannelPromise writtenPromise() {
    if (!(channel instanceof Http2StreamChannel)) {
      return promise;
    }
    ChannelPromise written = channel.newPromise();
    written.addListener(done -> {
      if (done.isSuccess()) {
        promise.trySuccess();
      } else {
        promise.tryFailure(done.cause());
      }
    });
    return written;
  }

  private void fail(Exception cause) {
    owned.drop();
    promise.tryFailure(cause);
  }

  @Override
  public void operationComplete(ChannelFuture done) {
    OwnedWrites writes = OwnedWrites.of(carrier);
    if (!writes.remove(this)) {
      return; // It was abandoned, or has been here.
    }
    boolean mayBeInUse = done.isCancelled() || owned.isInUse();
    if (!done.isSuccess() && carrier.isOpen() && mayBeInUse && writes.keep(this)) {
      // Handlers still have it and may look at it, or slices of it are in a queue and may be sent:
      // whoever has them releases them, or the end of the channel does.
      return;
    }
    if (!done.isSuccess()) {
      owned.drop();
    } else if (owned.isUnused()) {
      settleLater();
    }
  }

  /** Whether the channel that it was given to has handlers still. */
  boolean hasHandlers() {
    return channel.isRegistered();
  }

  /** Whether nothing of the message is left to release. */
  boolean isGone() {
    return owned.isGone();
  }

  /** The channel has closed, and no handler has ended the write. */
  void abandon() {
    fail(new ClosedChannelException());
  }

  /** Not from here: a handler that told of its success may be about to release the message. */
  private void settleLater() {
    try {
      channel.eventLoop().execute(owned::settle);
    } catch (RejectedExecutionException eventLoopHasEnded) {
      owned.settle();
    }
  }
}
