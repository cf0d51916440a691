package dev.weir.netty.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelProgressivePromise;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelProgressivePromise;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

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

  private static final AtomicIntegerFieldUpdater<PartPromise> UNTOLD =
      AtomicIntegerFieldUpdater.newUpdater(PartPromise.class, "isUntold");

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

    /** There was no Java heap to fail it, or to tell the writer: {@link #retry} is to come. */
    void untold(PartPromise part);
  }

  private final ChannelPromise writer;
  private final Watcher watcher;
  private volatile int state = WRITING;
  private volatile boolean closes;

  /** Whether it is in the watcher's list of those that are untold. */
  private volatile int isUntold;

  /** Of that list. */
  @Nullable PartPromise nextUntold;

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

  /** Tries once more what no Java heap was found for. */
  void retry() {
    isUntold = 0;
    if (!isDone()) {
      tryFailure(new ClosedChannelException());
    } else {
      tell(/* isSeenTo= */ true);
    }
  }

  private void tell(boolean isSeenTo) {
    int now = state;
    // What is lost in the middle of a write is told of when that is over.
    boolean isEarly = now == WRITING && !isSuccess();
    if (now == TOLD || isEarly || !STATE.compareAndSet(this, now, TOLD)) {
      return;
    }
    try {
      if (!isSeenTo) {
        watcher.done(this);
      }
    } finally {
      tellWriter();
    }
  }

  private void tellWriter() {
    try {
      if (isSuccess()) {
        writer.trySuccess(null);
      } else {
        writer.tryFailure(cause());
      }
    } finally {
      if (!writer.isVoid() && !writer.isDone()) {
        state = WRITTEN;
        becomeUntold();
      } else if (closes) {
        channel().close();
      }
    }
  }

  private void becomeUntold() {
    if (isUntold == 0 && UNTOLD.compareAndSet(this, 0, 1)) {
      watcher.untold(this);
    }
  }

  @Override
  public boolean trySuccess(Void result) {
    try {
      return super.trySuccess(null);
    } finally {
      tellIfDone();
    }
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
      tellIfDone(); // It may be asked again because there was no Java heap to tell the writer.
      return false;
    }
    watcher.failing();
    try {
      return super.tryFailure(cause);
    } finally {
      if (!isDone()) {
        becomeUntold();
      }
      tellIfDone();
    }
  }

  @Override
  public ChannelProgressivePromise setFailure(Throwable cause) {
    if (!tryFailure(cause)) {
      throw new IllegalStateException("complete already: " + this, cause);
    }
    return this;
  }

  /** Also where listeners, or what it takes to tell them, found no Java heap. */
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
