package dev.weir.netty.http;

import dev.weir.netty.loop.LoopTasks;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.internal.InternalThreadLocalMap;
import java.util.ArrayDeque;
import java.util.function.Consumer;

/**
 * Has what is written deep in a stack of listeners leave later. Netty tells a listener there by a
 * task of the event loop that the write is lost, and those that are flushed meanwhile would leave
 * behind the hole. So a flush comes as a task too, behind the ones that tell of losses, and a close
 * comes behind such a flush.
 *
 * <p>Used on the channel's event loop.
 */
final class DeepWrites implements LoopTasks.Task {
  /**
   * Netty tells eight listeners deep at once; a codec, a gate and TLS take some of those, as each
   * listens to the next.
   */
  private static final int MAX_LISTENERS = 2;

  private final Consumer<ChannelHandlerContext> flush;
  private final ArrayDeque<ChannelPromise> closings = new ArrayDeque<>(1);
  private @SuppressWarnings("NullAway.Init") ChannelHandlerContext context;

  /** Whether listeners may be told later of something that is written. */
  private boolean deep;

  /** Whether a flush is to come. */
  private boolean flushComes;

  /**
   * Has nothing to flush yet.
   *
   * @param flush flushes what nobody has told of a loss of
   */
  DeepWrites(Consumer<ChannelHandlerContext> flush) {
    this.flush = flush;
  }

  /** Begins with a channel; before anything else. */
  void begin(ChannelHandlerContext ctx) {
    context = ctx;
  }

  /** Takes note of a write, from within it. */
  void written() {
    deep = deep || isDeep();
  }

  private static boolean isDeep() {
    return InternalThreadLocalMap.get().futureListenerStackDepth() > MAX_LISTENERS;
  }

  /**
   * Flushes later, if listeners may be told later of what is written, or of what the flush itself
   * loses.
   *
   * @return whether it does
   */
  boolean flushLater() {
    if (flushComes) {
      return true;
    }
    written();
    if (deep) {
      flushComes = true;
      LoopTasks.bring(context.executor(), this);
    }
    return deep;
  }

  /**
   * Closes later, if a flush is to come first.
   *
   * @return whether it does
   */
  boolean closeLater(ChannelPromise promise) {
    return flushComes && closings.add(promise);
  }

  /** Everybody has been told of what was written before. */
  @Override
  public void run() {
    deep = false;
    flushComes = false;
    try {
      flush.accept(context);
    } finally {
      close();
    }
  }

  /** There is no task: rather nothing leaves than a hole. */
  @Override
  public void lost() {
    flushComes = false;
    context.close();
    close();
  }

  private void close() {
    for (ChannelPromise next = closings.poll(); next != null; next = closings.poll()) {
      context.close(next);
    }
  }
}
