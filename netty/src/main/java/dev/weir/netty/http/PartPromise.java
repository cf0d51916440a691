package dev.weir.netty.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelProgressivePromise;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelProgressivePromise;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * How a part of a response is sent. Stands for the promise of whoever writes it, so that its loss
 * is heard of first: there may have been listeners on that promise before, who write when they are
 * told, and Netty tells in the order in which listeners came, or deep in a stack of them by tasks.
 *
 * <p>Passed on with the part; then {@link #written} is called, and until then the writer hears of
 * no loss. Cannot be cancelled: that would make a hole. Completed on any thread; where two do that
 * in different ways at the same moment, a part that is sent may count as lost.
 */
final class PartPromise extends DefaultChannelProgressivePromise {
  private static final AtomicIntegerFieldUpdater<PartPromise> STATE =
      AtomicIntegerFieldUpdater.newUpdater(PartPromise.class, "state");

  /** Handlers nearer to the wire may be in the middle of it. */
  private static final int WRITING = 0;

  private static final int WRITTEN = 1;

  /** The writer has been told, or is being told. */
  private static final int TOLD = 2;

  /** Hears before the writer. Called on any thread; throws nothing. */
  interface Watcher {
    /** It is about to fail, and nobody has heard of it; in the middle of the write too. */
    void failing();

    /**
     * It has succeeded, or failed, and the write is over then: handlers nearer to the wire may have
     * heard, the writer has not.
     */
    void done(PartPromise part);
  }

  private final ChannelPromise writer;
  private final Watcher watcher;
  private volatile int state = WRITING;
  private volatile boolean closes;

  /**
   * Is not done yet, and makes {@code writer} one that cannot be cancelled.
   *
   * @param ctx of the handler that passes the part on
   * @param writer the promise it stands for, which may be a void one
   */
  PartPromise(ChannelHandlerContext ctx, ChannelPromise writer, Watcher watcher) {
    super(ctx.channel(), ctx.executor());
    this.writer = writer;
    this.watcher = watcher;
    super.setUncancellable();
    writer.setUncancellable();
  }

  /**
   * The write is over: the writer hears as soon as this is done, which may be now.
   *
   * @param isSeenTo whether it is lost, and the caller has seen to that itself
   */
  void written(boolean isSeenTo) {
    if (STATE.compareAndSet(this, WRITING, WRITTEN) && isDone()) {
      tell(isSeenTo);
    }
  }

  /** Closes the channel as soon as the writer has been told, which may be now. */
  void closeWhenTold() {
    closes = true;
    if (state == TOLD) {
      channel().close();
    }
  }

  private void tell(boolean isSeenTo) {
    int now = state;
    // What is lost in the middle of a write is told of when that is over.
    boolean isEarly = now == WRITING && !isSuccess();
    if (now == TOLD || isEarly || !STATE.compareAndSet(this, now, TOLD)) {
      return;
    }
    if (!isSeenTo) {
      watcher.done(this);
    }
    tellWriter();
  }

  private void tellWriter() {
    if (isSuccess()) {
      writer.trySuccess(null);
    } else {
      writer.tryFailure(cause());
    }
    if (closes) {
      channel().close();
    }
  }

  @Override
  public boolean trySuccess(Void result) {
    boolean isFirst = super.trySuccess(null);
    tellIfDone();
    return isFirst;
  }

  @Override
  public ChannelProgressivePromise setSuccess(Void result) {
    if (!trySuccess(null)) {
      throw new IllegalStateException("complete already: " + this);
    }
    return this;
  }

  @Override
  public boolean tryFailure(Throwable cause) {
    if (isDone()) {
      return false;
    }
    watcher.failing();
    boolean isFirst = super.tryFailure(cause);
    tellIfDone();
    return isFirst;
  }

  @Override
  public ChannelProgressivePromise setFailure(Throwable cause) {
    if (!tryFailure(cause)) {
      throw new IllegalStateException("complete already: " + this, cause);
    }
    return this;
  }

  private void tellIfDone() {
    if (isDone()) {
      tell(/* isSeenTo= */ false);
    }
  }

  @Override
  public boolean tryProgress(long progress, long total) {
    boolean isProgress = super.tryProgress(progress, total);
    if (isProgress && writer instanceof ChannelProgressivePromise progressive) {
      progressive.tryProgress(progress, total);
    }
    return isProgress;
  }

  @Override
  public ChannelProgressivePromise setProgress(long progress, long total) {
    super.setProgress(progress, total);
    if (writer instanceof ChannelProgressivePromise progressive) {
      progressive.tryProgress(progress, total);
    }
    return this;
  }
}
