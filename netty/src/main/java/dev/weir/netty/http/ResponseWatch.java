package dev.weir.netty.http;

import dev.weir.netty.log.FailureLog;
import dev.weir.netty.loop.LoopTasks;
import dev.weir.netty.write.EarlyEnd;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Hears whether the parts of responses leave: behind the end of one the head of the next request is
 * waited for; behind a part that is lost nothing must follow. It hears before those who write.
 *
 * <p>Used on the channel's event loop, and told on any thread. Parts are lost where the Java heap
 * is full, so it makes nothing when it is told of one.
 */
final class ResponseWatch {
  private static final FailureLog LOST = new FailureLog(ResponseWatch.class);

  private final Consumer<ChannelFuture> onSent;
  private final Consumer<ChannelHandlerContext> onLost;
  private final Part part = new Part();
  private final End end = new End();
  private final LoopTasks.Task loss = new Loss();
  private final LoopTasks.Task closing = new Closing();
  private @SuppressWarnings("NullAway.Init") ChannelHandlerContext context;
  private volatile boolean listening;
  private volatile boolean lost;
  private volatile boolean reported;
  private boolean closingComes;

  /** Parts of which the writers could not be told; each leads to the next. */
  private final AtomicReference<@Nullable PartPromise> untold = new AtomicReference<>();

  /**
   * Hears nothing yet.
   *
   * @param onSent hears, on any thread, that the end of a response has left
   * @param onLost hears, on the event loop, that a part has not, before the channel is closed
   */
  ResponseWatch(Consumer<ChannelFuture> onSent, Consumer<ChannelHandlerContext> onLost) {
    this.onSent = onSent;
    this.onLost = onLost;
  }

  /** Begins with a channel; before anything else. */
  void begin(ChannelHandlerContext ctx) {
    context = ctx;
    listening = true;
  }

  /** Tells nobody of losses any more: with one the channel is closed. */
  void end() {
    listening = false;
  }

  /**
   * How a part is to be written; a loss in the middle of that is the caller's to see to.
   *
   * @param writer hears behind this of what becomes of it
   */
  PartPromise promiseFor(ChannelPromise writer, boolean ends) {
    return new PartPromise(context, writer, ends ? end : part);
  }

  /** Whether a part is lost, or is just being lost: nothing is to be written or flushed. */
  boolean isAnyLost() {
    return lost;
  }

  /** A part that others follow. */
  private class Part implements PartPromise.Watcher {
    @Override
    public final void failing() {
      if (context.channel().isActive()) {
        lost = true; // Otherwise it is the client who has gone.
      }
    }

    @Override
    public void done(PartPromise part) {
      // A handler nearer to the wire may have closed the channel for the first.
      if (!part.isSuccess() && lost && (!reported || context.channel().isActive())) {
        report(part);
        endChannel();
      }
    }

    @Override
    public final void untold(PartPromise part) {
      PartPromise first;
      do {
        first = untold.get();
        part.nextUntold = first;
      } while (!untold.compareAndSet(first, part));
      endChannel();
    }

    final void endChannel() {
      try {
        if (context.executor().inEventLoop()) {
          loss.run();
        } else {
          LoopTasks.bring(context.executor(), loss);
        }
      } catch (Throwable failure) {
        LOST.report("closed later: a part of a response could not be written", failure);
      }
    }
  }

  /** The last part. */
  private final class End extends Part {
    @Override
    public void done(PartPromise part) {
      super.done(part);
      if (part.isSuccess()) {
        sent(part);
      }
    }

    private void sent(PartPromise part) {
      try {
        onSent.accept(part);
      } catch (Throwable noHeap) {
        lost = true; // So that it is tried again where this does not end the channel.
        reported = true;
        LOST.report("closed: the next request could not be waited for", noHeap);
        endChannel();
      }
    }
  }

  /** Tells operators of a lost part, unless it is the client who has gone. */
  void report(ChannelFuture part) {
    if (lost) {
      reported = true;
      LOST.report("closed: a part of a response could not be written", part.cause());
    }
  }

  /** Tells those who write what there was no Java heap for. */
  void retry() {
    PartPromise part = untold.get() == null ? null : inOrder(untold.getAndSet(null));
    while (part != null) {
      PartPromise next = part.nextUntold;
      part.nextUntold = null;
      try {
        part.retry(); // If there is none again it is in the list again.
      } catch (Throwable noHeap) {
        LOST.report("told later: a part of a response could not be written", noHeap);
      }
      part = next;
    }
  }

  /** The list from its end, so that the first comes first. */
  private static @Nullable PartPromise inOrder(@Nullable PartPromise last) {
    PartPromise first = null;
    PartPromise part = last;
    while (part != null) {
      PartPromise before = part.nextUntold;
      part.nextUntold = first;
      first = part;
      part = before;
    }
    return first;
  }

  /**
   * Closes the channel, but not from here: the application may be writing still, and a {@link
   * dev.weir.netty.write.WriteGate} tells the reason first. Once more does nothing, unless no task
   * could be had for it.
   */
  void closeSoon() {
    closingComes = closingComes || LoopTasks.tryBring(context.executor(), closing);
  }

  /** As {@link #closeSoon}, and at once: others have been written behind the part. */
  void closeNow() {
    closeSoon();
    closing.run();
  }

  private final class Loss implements LoopTasks.Task {
    @Override
    public void run() {
      if (listening) {
        onLost.accept(context);
      }
      closeNow(); // What was written behind the part may be about to leave.
    }

    @Override
    public void lost() {
      closing.run();
    }
  }

  private final class Closing implements LoopTasks.Task {
    @Override
    public void run() {
      boolean begun = false;
      try {
        begun = EarlyEnd.close(context);
      } finally {
        closingComes &= begun; // It is tried again.
      }
    }

    @Override
    public void lost() {
      run();
    }
  }
}
