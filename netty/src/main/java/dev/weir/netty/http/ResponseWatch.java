package dev.weir.netty.http;

import dev.weir.netty.log.FailureLog;
import dev.weir.netty.loop.LoopTasks;
import dev.weir.netty.write.EarlyEnd;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import java.util.function.Consumer;

/**
 * Hears whether the parts of responses leave: behind the end of one the head of the next request is
 * waited for; behind a part that is lost nothing must follow.
 *
 * <p>Used on the channel's event loop, and told on any thread. Parts are lost where the Java heap
 * is full, so it makes nothing when it is told of one.
 */
final class ResponseWatch implements ChannelFutureListener {
  private static final FailureLog LOST = new FailureLog(ResponseWatch.class);

  private final Consumer<ChannelFuture> onSent;
  private final Consumer<ChannelHandlerContext> onLost;
  private final ChannelFutureListener end = this::ended;
  private final LoopTasks.Task loss = new Loss();
  private final LoopTasks.Task closing = new Closing();
  private @SuppressWarnings("NullAway.Init") ChannelHandlerContext context;
  private volatile boolean listening;
  private boolean closingComes;

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
   * Hears of a part that others follow.
   *
   * @return false if it is lost already, which is the caller's to do something about
   */
  boolean listenToPart(ChannelFuture sent) {
    if (!sent.isDone()) {
      sent.addListener(this);
    }
    return !isLost(sent); // It may have been lost since, by another thread.
  }

  /** The same of the last part. */
  boolean listenToEnd(ChannelFuture sent) {
    if (!sent.isDone()) {
      sent.addListener(end);
    } else if (sent.isSuccess()) {
      onSent.accept(sent);
    }
    return !isLost(sent);
  }

  private boolean isLost(ChannelFuture sent) {
    if (!sent.isDone() || sent.isSuccess()) {
      return false;
    }
    if (context.channel().isActive()) {
      report(sent);
    }
    return true;
  }

  private static void report(ChannelFuture lost) {
    LOST.report("closed: a part of a response could not be written", lost.cause());
  }

  private void ended(ChannelFuture sent) {
    if (sent.isSuccess()) {
      onSent.accept(sent);
    } else {
      operationComplete(sent);
    }
  }

  /** A part has left, or has not. */
  @Override
  public void operationComplete(ChannelFuture sent) {
    if (sent.isSuccess() || !context.channel().isActive()) {
      return;
    }
    report(sent);
    if (context.executor().inEventLoop()) {
      loss.run();
    } else {
      LoopTasks.bring(context.executor(), loss);
    }
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
    if (closingComes) {
      closing.run();
    }
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
      EarlyEnd.close(context);
    }

    @Override
    public void lost() {
      run();
    }
  }
}
