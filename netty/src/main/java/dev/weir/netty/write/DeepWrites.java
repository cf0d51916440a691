package dev.weir.netty.write;

import dev.weir.netty.loop.LoopTasks;
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
 * not seen here. What waits counts for the channel's writability. Used on the channel's event loop.
 */
public final class DeepWrites {
  /**
   * As deep as that is not deep: Netty goes down eight, and a codec, gates and TLS, each of which
   * listens to the next, take one or two of those each.
   */
  private static final int SHALLOW_LISTENERS = 2;

  /** Of the handler that these are in, whose writes wait. */
  public interface Writer {
    /** Writes what has waited, or releases it. */
    void writeNow(ChannelHandlerContext ctx, Object message, ChannelPromise promise);

    /** Flushes what has been written. */
    void flushNow(ChannelHandlerContext ctx);

    /** Closes the channel. */
    void closeNow(ChannelHandlerContext ctx, ChannelPromise promise);

    /** No task is to be had: nothing more must leave, and what waits is written all the same. */
    void cutOff(ChannelHandlerContext ctx);
  }

  private final Writer writer;
  private final LoopTasks.Task task = new Task();
  private @SuppressWarnings("NullAway.Init") ChannelHandlerContext context;
  private @Nullable Waiting first;
  private @Nullable Waiting last;

  /** Whether the task is on its way. */
  private boolean comes;

  /** Nothing waits. */
  public DeepWrites(Writer writer) {
    this.writer = writer;
  }

  /** A message that waits, a flush or a close. */
  private abstract static class Waiting {
    final ChannelPromise promise;
    @Nullable Waiting next;

    Waiting(ChannelPromise promise) {
      this.promise = promise;
    }

    abstract void run(Writer writer, ChannelHandlerContext ctx);
  }

  private static final class WaitingFlush extends Waiting {
    WaitingFlush(ChannelHandlerContext ctx) {
      super(ctx.voidPromise());
    }

    @Override
    void run(Writer writer, ChannelHandlerContext ctx) {
      writer.flushNow(ctx);
    }
  }

  private static final class WaitingClose extends Waiting {
    WaitingClose(ChannelPromise promise) {
      super(promise);
    }

    @Override
    void run(Writer writer, ChannelHandlerContext ctx) {
      writer.closeNow(ctx, promise);
    }
  }

  private static final class WaitingMessage extends Waiting {
    private final Object message;
    private final BytesOnTheirWay.OfOneWrite counted;

    WaitingMessage(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
      super(promise);
      this.message = message;
      this.counted = new BytesOnTheirWay.OfOneWrite(ctx.channel());
      try {
        counted.count(message);
      } catch (Throwable failure) {
        counted.arrived();
        counted.tellIfUntold();
        throw failure;
      }
    }

    @Override
    void run(Writer writer, ChannelHandlerContext ctx) {
      counted.arrived();
      try {
        writer.writeNow(ctx, message, promise);
      } finally {
        counted.tellIfUntold();
      }
    }
  }

  /** Begins with a channel; before anything else. */
  public void begin(ChannelHandlerContext ctx) {
    context = ctx;
  }

  /** Whether something waits, so that what follows must wait too. */
  public boolean areWaiting() {
    return first != null;
  }

  /** Whether what is written or flushed now has to wait. */
  public boolean mustWait() {
    return areWaiting() || isDeep();
  }

  private static boolean isDeep() {
    // Of Netty's own thread locals: nothing else tells, and it is what decides.
    return InternalThreadLocalMap.get().futureListenerStackDepth() > SHALLOW_LISTENERS;
  }

  /** Has a message wait, which cannot be cancelled then. If this fails the message is released. */
  public void write(Object message, ChannelPromise promise) {
    promise.setUncancellable();
    Waiting waiting;
    try {
      waiting = new WaitingMessage(context, message, promise);
    } catch (Throwable noHeap) {
      Unwritten.release(message);
      throw noHeap;
    }
    add(waiting);
  }

  /** Has a flush wait. */
  public void flush() {
    add(new WaitingFlush(context));
  }

  /** Has a close wait, which cannot be cancelled then. */
  public void close(ChannelPromise promise) {
    if (promise.setUncancellable()) {
      add(new WaitingClose(promise));
    }
  }

  private void add(Waiting waiting) {
    if (last == null) {
      first = waiting;
    } else {
      last.next = waiting;
    }
    last = waiting;
    bring();
  }

  private void bring() {
    if (!comes) {
      comes = true;
      LoopTasks.bring(context.executor(), task);
    }
  }

  /** Does what waits now; what comes to wait meanwhile is not to keep others from the loop. */
  public void run() {
    comes = false;
    Waiting lastDue = last;
    boolean done = lastDue == null;
    while (!done) {
      Waiting next = poll();
      if (next == null) {
        return; // Done meanwhile, by a listener that has removed the handler.
      }
      done = next.equals(lastDue);
      runOne(next);
    }
    if (areWaiting()) {
      bring();
    }
  }

  private @Nullable Waiting poll() {
    Waiting next = first;
    if (next != null) {
      first = next.next;
      last = first == null ? null : last;
    }
    return next;
  }

  private void runOne(Waiting next) {
    try {
      next.run(writer, context);
    } catch (Throwable failure) {
      next.promise.tryFailure(failure); // As a pipeline does.
    }
  }

  private final class Task implements LoopTasks.Task {
    @Override
    public void run() {
      DeepWrites.this.run();
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
}
