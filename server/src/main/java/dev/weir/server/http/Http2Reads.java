package dev.weir.server.http;

import dev.weir.memory.budget.BudgetExceededError;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Decides when a connection of HTTP/2 is read. Goes in front of the codec, which asks for more
 * whenever it has used up what came.
 *
 * <p>While the pool has nothing but its reserve, a connection is read only when its streams hold
 * nothing that was sent ahead: the rest waits in the kernel, whatever the windows allow. So a
 * connection takes one small buffer of the reserve, and each of its uploads one more on its way to
 * the disk, however many streams have how much to send. What is held is used up without another
 * read, unless its stream takes nothing; so the connection also looks, while it is not read,
 * whether the pool has room again. Where that is gone by the time of the read, which takes a second
 * small buffer then, it looks no more until what it holds is used up.
 *
 * <p>A client may end its side and read on. From then on epoll no longer watches the socket for
 * input, and would close it if it were read.
 */
final class Http2Reads extends ChannelDuplexHandler {
  /** Soon for a client. */
  static final long LOOK_AGAIN_MILLIS = 100;

  /**
   * The last of the pauses, each twice as long as the one before: at each look the pool gives up
   * what it can, and a thousand connections may look at one that stays full.
   */
  private static final long MAX_LOOK_MILLIS = 16 * LOOK_AGAIN_MILLIS;

  private @Nullable ChannelHandlerContext context;
  private boolean ended;
  private boolean hasWritten;

  /** Whether there was nothing but the reserve when bytes came last, or for those that are held. */
  private boolean isShort;

  /** Of all streams. */
  private int heldBytes;

  private boolean deferred;

  /** For how long reads were deferred before now, and since when they are, if they are. */
  private long deferredNanos;

  private long deferredSinceNanos;

  /** There was room at a look, and nothing but the reserve at the read that followed. */
  private boolean lookedInVain;

  /** A look was what led to the read that is under way. */
  private boolean lookedBefore;

  private long pauseMillis = LOOK_AGAIN_MILLIS;

  /** The next look at the pool; a read that is deferred has one. */
  private @Nullable Future<?> look;

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
  }

  /** Whether the codec has had memory for its first frame: it closes a connection without. */
  boolean hasWritten() {
    return hasWritten;
  }

  /** A stream holds more of what was sent ahead. */
  void held(int bytes) {
    heldBytes += bytes;
  }

  /** There was nothing but the reserve for what a stream holds. */
  void heldInReserve() {
    isShort = true;
  }

  /** A stream has used up, or dropped, some of it. */
  void letGo(int bytes) {
    heldBytes -= bytes;
    ChannelHandlerContext ctx = context;
    if (heldBytes == 0) {
      lookedInVain = false;
      if (deferred && ctx != null) {
        goOn(ctx);
      }
    }
  }

  /** Nothing more of this client is to be heard. */
  void readNoMore() {
    ended = true;
  }

  /** For how long, in all, the connection was not read although its codec asked. */
  long deferredNanos() {
    ChannelHandlerContext ctx = context;
    return deferred && ctx != null
        ? deferredNanos + nanoTime(ctx) - deferredSinceNanos
        : deferredNanos;
  }

  private static long nanoTime(ChannelHandlerContext ctx) {
    return ctx.executor().ticker().nanoTime();
  }

  private void goOn(ChannelHandlerContext ctx) {
    deferredNanos = deferredNanos();
    deferred = false;
    pauseMillis = LOOK_AGAIN_MILLIS;
    if (ctx.channel().isActive()) {
      read(ctx);
    }
  }

  private void defer(ChannelHandlerContext ctx) {
    if (!deferred) {
      deferred = true;
      deferredSinceNanos = nanoTime(ctx);
    }
    if (look == null && !lookedInVain) {
      look = ctx.executor().schedule(() -> lookAgain(ctx), pauseMillis, TimeUnit.MILLISECONDS);
    }
  }

  private void lookAgain(ChannelHandlerContext ctx) {
    look = null;
    if (!deferred || !ctx.channel().isActive()) {
      return;
    }
    if (ReceiveBuffers.haveRoom(ctx.alloc())) {
      isShort = false;
      lookedBefore = true;
      goOn(ctx);
    } else {
      pauseMillis = Math.min(2 * pauseMillis, MAX_LOOK_MILLIS);
      defer(ctx);
    }
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    Future<?> next = look;
    if (next != null) {
      next.cancel(false);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    isShort = ReceiveBuffers.isOfReserve((ByteBuf) message);
    lookedInVain = lookedBefore && isShort;
    lookedBefore = false;
    ctx.fireChannelRead(message);
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    ChannelPromise first = promise;
    if (!hasWritten) {
      hasWritten = true;
      // The codec closes a connection whose settings are not sent, and tells nobody why.
      first = promise.unvoid();
      first.addListener(written -> {
        if (written.cause() instanceof BudgetExceededError refused) {
          ctx.fireExceptionCaught(refused);
        }
      });
    }
    ctx.write(message, first);
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    ended |= event instanceof ChannelInputShutdownEvent;
    ctx.fireUserEventTriggered(event);
  }

  @Override
  public void read(ChannelHandlerContext ctx) {
    if (ended) {
      return;
    }
    if (isShort && heldBytes > 0) {
      defer(ctx);
    } else {
      ctx.read();
    }
  }
}
