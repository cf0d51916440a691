package dev.weir.netty.http;

import dev.weir.netty.loop.LoopTasks;
import dev.weir.netty.write.WaitingWrites;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.internal.InternalThreadLocalMap;
import org.jspecify.annotations.Nullable;

/**
 * Has what is written deep in a stack of listeners wait for a task of the event loop. There Netty
 * tells a listener by such a task that its write is lost, if it finds one: whoever follows, in the
 * same stack, would leave behind the hole. From a task all are told at once.
 *
 * <p>Flushes wait as well, since they lose what handlers nearer to the wire have queued, and so
 * does all that comes behind what waits. What such a handler flushes by itself, deep in a stack, is
 * not seen here. Used on the channel's event loop.
 */
final class DeepWrites implements LoopTasks.Task {
  /**
   * As deep as that is not deep: Netty goes down eight, and a codec, gates and TLS, each of which
   * listens to the next, take one or two of those each.
   */
  private static final int MAX_LISTENERS = 2;

  /** What waits beside messages. */
  private enum Mark {
    FLUSH,
    CLOSE
  }

  /** Writes what has waited. */
  interface Writer {
    void writeNow(ChannelHandlerContext ctx, Object message, ChannelPromise promise);

    void flushNow(ChannelHandlerContext ctx);

    void closeNow(ChannelHandlerContext ctx, ChannelPromise promise);

    /** A message is lost, or no task is to be had: nothing more must leave. */
    void cutOff(ChannelHandlerContext ctx);
  }

  private final Writer writer;
  private @SuppressWarnings("NullAway.Init") ChannelHandlerContext context;
  private @Nullable WaitingWrites waiting;

  /** Whether the task is on its way. */
  private boolean comes;

  /** Nothing waits. */
  DeepWrites(Writer writer) {
    this.writer = writer;
  }

  /** Begins with a channel; before anything else. */
  void begin(ChannelHandlerContext ctx) {
    context = ctx;
  }

  /** Whether something waits, so that what follows must wait too. */
  boolean areWaiting() {
    return waiting != null && !waiting.isEmpty();
  }

  /** Whether what is written or flushed now has to wait. */
  boolean mustWait() {
    return areWaiting() || isDeep();
  }

  private static boolean isDeep() {
    // Of Netty's own thread locals: nothing else tells, and it is what decides.
    return InternalThreadLocalMap.get().futureListenerStackDepth() > MAX_LISTENERS;
  }

  /**
   * Has a message wait, which cannot be cancelled meanwhile. If it fails the message is released.
   */
  void write(Object message, ChannelPromise promise) {
    promise.setUncancellable();
    waiting().add(message, promise);
    bring();
  }

  /** Has a flush wait. */
  void flush() {
    waiting().addMark(Mark.FLUSH, context.voidPromise());
    bring();
  }

  /** Has a close wait. */
  void close(ChannelPromise promise) {
    waiting().addMark(Mark.CLOSE, promise);
    bring();
  }

  private WaitingWrites waiting() {
    WaitingWrites writes = waiting;
    if (writes == null) {
      writes = new WaitingWrites(context);
      waiting = writes;
    }
    return writes;
  }

  private void bring() {
    if (!comes) {
      comes = true;
      LoopTasks.bring(context.executor(), this);
    }
  }

  /** Writes what waits now; what comes to wait meanwhile is not to keep others from the loop. */
  @Override
  public void run() {
    comes = false;
    WaitingWrites writes = waiting;
    if (writes == null) {
      return;
    }
    for (int due = writes.size(); due > 0; due--) {
      doNext(writes);
    }
    if (!writes.isEmpty()) {
      bring();
    }
  }

  private void doNext(WaitingWrites writes) {
    WaitingWrites.Entry next;
    try {
      next = writes.poll();
    } catch (Throwable noTask) {
      writer.cutOff(context);
      return;
    }
    if (next == null) {
      return; // Done meanwhile, by a listener that has removed the handler.
    }
    try {
      switch (next.message()) {
        case Mark.FLUSH -> writer.flushNow(context);
        case Mark.CLOSE -> writer.closeNow(context, next.promise());
        default -> writer.writeNow(context, next.message(), next.promise());
      }
    } catch (Throwable failure) {
      next.promise().tryFailure(failure); // As a pipeline does.
    }
  }

  @Override
  public void lost() {
    try {
      writer.cutOff(context);
    } finally {
      run();
    }
  }
}
