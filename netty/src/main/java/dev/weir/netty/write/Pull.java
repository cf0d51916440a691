package dev.weir.netty.write;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelPromise;
import java.util.concurrent.CancellationException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One producer at work for one channel. It is asked while the channel can take messages, and what
 * it has written is flushed before it is asked again. Runs on the channel's event loop.
 */
final class Pull implements Outlet, ChannelFutureListener {
  /** Rounds without a look at other channels of the event loop. */
  private static final int MAX_ROUNDS = 16;

  private final Channel channel;
  private final WriteGateHandler gate;
  private final Producer producer;
  private final ChannelPromise promise;

  /** Whether a resumption is on its way. Both sides exchange it: each sees what the other did. */
  private final AtomicBoolean resuming = new AtomicBoolean();

  private int unwritten;
  private boolean pumping;

  /** Whether the producer answers now: what it writes is flushed afterwards. */
  private boolean asking;

  private boolean wroteInRound;
  private boolean completed;
  private boolean stopped;

  Pull(Channel channel, WriteGateHandler gate, Producer producer, ChannelPromise promise) {
    this.channel = channel;
    this.gate = gate;
    this.producer = producer;
    this.promise = promise;
    promise.addListener(done -> {
      if (!done.isSuccess()) {
        stop(done.cause());
      }
    });
  }

  boolean isOver() {
    return completed || stopped;
  }

  /** Asks the producer as long as it writes and the channel takes. */
  void pump() {
    if (pumping) {
      return;
    }
    stopIfFailed();
    pumping = true;
    try {
      for (int round = 0; isReady(); round++) {
        if (round == MAX_ROUNDS) {
          resume();
          return;
        }
        wroteInRound = false;
        ask();
        if (!wroteInRound) {
          return;
        }
        channel.flush();
      }
    } catch (Throwable failure) {
      if (wroteInRound) {
        channel.flush();
      }
      fail(failure);
    } finally {
      pumping = false;
    }
  }

  private void ask() throws Exception {
    asking = true;
    try {
      producer.produce(this);
    } finally {
      asking = false;
    }
  }

  @Override
  public boolean isReady() {
    return !isOver() && gate.canTake();
  }

  @Override
  public ByteBufAllocator alloc() {
    return channel.alloc();
  }

  @Override
  public void write(Object message) {
    boolean given = false;
    try {
      given = give(Owned.of(message));
    } catch (Throwable failure) {
      // The producer hears of it, too, but must not go on, or end well, behind what is missing.
      fail(failure);
      throw failure;
    }
    if (given && !asking) {
      channel.flush();
    }
  }

  /** Returns false if it was released: there is nobody to write to any more. */
  private boolean give(Owned owned) {
    if (isOver()) {
      owned.release();
      return false;
    }
    unwritten++;
    wroteInRound = true;
    ChannelFuture written = owned.writeTo(channel);
    // A listener would not be told at once deep in a stack of listeners, and messages would follow.
    if (written.isDone()) {
      operationComplete(written);
    } else {
      written.addListener(this);
    }
    return true;
  }

  @Override
  public void operationComplete(ChannelFuture written) {
    unwritten--;
    if (!written.isSuccess()) {
      // First: who is told of the failure may write.
      if (UnbrokenStream.breaks(written)) {
        gate.writeFailed(written.cause());
      }
      fail(written.cause());
    } else if (completed && unwritten == 0) {
      promise.trySuccess();
    }
  }

  @Override
  public void complete() {
    if (isOver()) {
      return;
    }
    completed = true;
    gate.pullEnded(this);
    if (unwritten == 0) {
      promise.trySuccess();
    }
  }

  @Override
  public void fail(Throwable cause) {
    promise.tryFailure(cause);
    if (channel.eventLoop().inEventLoop()) {
      stop(cause);
    } // Else the promise's listener does, or the next look where the loop took no task for it.
  }

  /** Stops it if it has failed without the event loop's notice. */
  void stopIfFailed() {
    if (promise.isDone() && !promise.isSuccess()) {
      stop(promise.cause());
    }
  }

  @Override
  public void resume() {
    if (resuming.getAndSet(true)) {
      return;
    }
    try {
      channel.eventLoop().execute(this::resumeNow);
    } catch (RejectedExecutionException refused) {
      resuming.set(false);
      if (!channel.eventLoop().isShutdown()) {
        throw refused;
      }
      // One that has ended has closed its channels, and this with them.
    }
  }

  private void resumeNow() {
    resuming.getAndSet(false);
    pump();
  }

  private void stop(Throwable cause) {
    if (isOver()) {
      return;
    }
    stopped = true;
    gate.pullEnded(this);
    try {
      producer.stopped(cause == null ? new CancellationException() : cause);
    } catch (RuntimeException failure) {
      channel.pipeline().fireExceptionCaught(failure);
    }
  }
}
