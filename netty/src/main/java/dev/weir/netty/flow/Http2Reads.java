package dev.weir.netty.flow;

import dev.weir.netty.loop.LoopTime;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Decides when a connection of HTTP/2 is read whose streams have {@link StreamIntake}s. Goes in
 * front of the codec, which asks for more whenever it has used up what came. The socket is read
 * into {@link ReserveReceiveBuffers}; auto-read is off.
 *
 * <p>While the pool has nothing but its reserve, a connection is read only when its streams hold
 * nothing that was sent ahead: the rest waits in the kernel, whatever the windows allow. So a
 * connection takes one small buffer of the reserve, and each of its uploads one more. What is held
 * is used up without another read, unless its stream takes nothing. So the connection also looks,
 * while it is not read, whether the pool has room again. If that is gone by the time of the read,
 * it looks no more until what it holds is used up.
 *
 * <p>When a client has ended its side, the socket is not read any more: epoll no longer watches it
 * for input, and would close it.
 *
 * <p>One for each connection, used on its event loop.
 */
public final class Http2Reads extends ChannelDuplexHandler {
  /** The first pause before a look at the pool: soon for a client. */
  static final long LOOK_AGAIN_MILLIS = 100;

  /**
   * The last of the pauses, each twice as long as the one before: at each look the pool gives up
   * what it can, and a thousand connections may look at one that stays full.
   */
  private static final long MAX_LOOK_MILLIS = 16 * LOOK_AGAIN_MILLIS;

  private final HeldInput.Watch heldWatch = new Held();
  private @Nullable ChannelHandlerContext context;
  private boolean ended;

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

  /** For a connection of which nothing was read. */
  public Http2Reads() {}

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
  }

  /** Hears of what its streams hold. */
  HeldInput.Watch heldWatch() {
    return heldWatch;
  }

  private final class Held implements HeldInput.Watch {
    @Override
    public void held(int bytes) {
      heldBytes += bytes;
    }

    @Override
    public void heldInReserve() {
      isShort = true;
    }

    @Override
    public void letGo(int bytes) {
      heldBytes -= bytes;
      ChannelHandlerContext ctx = context;
      if (heldBytes == 0) {
        lookedInVain = false;
        if (deferred && ctx != null) {
          goOn(ctx);
        }
      }
    }
  }

  /** Nothing more of this client is to be heard. */
  public void readNoMore() {
    ended = true;
  }

  /** For how long, in all, the connection was not read although its codec asked. */
  public long deferredNanos() {
    ChannelHandlerContext ctx = context;
    return deferred && ctx != null
        ? deferredNanos + LoopTime.nanoTime(ctx.executor()) - deferredSinceNanos
        : deferredNanos;
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
      deferredSinceNanos = LoopTime.nanoTime(ctx.executor());
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
    if (ReserveReceiveBuffers.haveRoom(ctx.alloc())) {
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
    isShort = ReserveReceiveBuffers.isOfReserve((ByteBuf) message);
    lookedInVain = lookedBefore && isShort;
    lookedBefore = false;
    ctx.fireChannelRead(message);
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
