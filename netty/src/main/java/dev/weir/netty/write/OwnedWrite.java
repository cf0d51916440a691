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
 * One {@link Owned} on its way through a pipeline. Runs on the channel's event loop; linked with
 * the channel's other writes in {@link OwnedWrites}.
 */
final class OwnedWrite implements ChannelFutureListener {
  private final Owned owned;
  private final Channel channel;

  /** Whose queue its bytes come to in the end: for a stream of HTTP/2, its connection. */
  private final Channel carrier;

  private final ChannelPromise promise;

  /** Whether the write has succeeded, and is settled when the channel closes. */
  private boolean settles;

  /** Links of {@link OwnedWrites}; one that was cancelled has the second alone. */
  @Nullable OwnedWrite previous;

  @Nullable OwnedWrite next;

  OwnedWrite(Owned owned, Channel channel, ChannelPromise promise) {
    this.owned = owned;
    this.channel = channel;
    this.carrier = channel instanceof Http2StreamChannel ? channel.parent() : channel;
    this.promise = promise;
  }

  void begin(ChannelOutboundInvoker through, Object message, boolean flush) {
    if (promise.isDone()) {
      // Cancelled before any handler has seen it.
      owned.drop();
      return;
    }
    OwnedWrites writes = null;
    try {
      if (!channel.isOpen() || !carrier.isOpen()) {
        // Its handlers are gone or going, and who looks after what they lose.
        throw new ClosedChannelException();
      }
      writes = OwnedWrites.of(carrier);
      if (!writes.add(this)) {
        throw new RejectedExecutionException("the event loop ends");
      }
      promise.addListener(this);
      owned.hand();
      if (flush) {
        through.writeAndFlush(message, promise);
      } else {
        through.write(message, promise);
      }
    } catch (Throwable failure) {
      owned.drop();
      if (writes != null) {
        writes.remove(this);
      }
      promise.tryFailure(failure);
    }
  }

  @Override
  public void operationComplete(ChannelFuture done) {
    OwnedWrites writes = OwnedWrites.of(carrier);
    writes.remove(this);
    if (!done.isSuccess() && carrier.isOpen() && (done.isCancelled() || owned.isInUse())) {
      // Handlers still have it and may look at it, or slices of it are in a queue and may be sent:
      // whoever has them releases them, or the end of the channel does.
      writes.keep(this);
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

  /**
   * The channel has closed, or its loop has ended, and no handler has ended the write; or nobody
   * has settled it yet.
   */
  void abandon() {
    if (settles) {
      owned.settle();
      return;
    }
    // First: there may be no Java heap to say why.
    owned.drop();
    promise.tryFailure(new ClosedChannelException());
  }

  /** The write has not begun, and never will. */
  void lose() {
    owned.drop();
    promise.tryFailure(new RejectedExecutionException("the event loop has ended"));
  }

  /** Not from here: a handler that told of its success may be about to release the message. */
  private void settleLater() {
    try {
      channel.eventLoop().execute(owned::settle);
    } catch (RejectedExecutionException eventLoopHasEnded) {
      owned.settle();
    } catch (Throwable noHeap) {
      settles = true;
      if (!carrier.isOpen() || !OwnedWrites.of(carrier).add(this)) {
        owned.settle(); // Nobody would come to it any more.
      }
    }
  }
}
