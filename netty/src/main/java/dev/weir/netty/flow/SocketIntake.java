package dev.weir.netty.flow;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import org.jspecify.annotations.Nullable;

/**
 * Has the decoder behind it make one message for each {@code read()}. What a client sends ahead of
 * that stays bytes, in the one buffer that the socket was read into: messages of a few bytes would
 * take dozens of times that memory, and none of it the pool's. What TLS hands on unasked, a record
 * each, is copied into one buffer too.
 *
 * <p>The socket is read when a message is wanted and there are no bytes for it; auto-read has to be
 * off.
 *
 * <p>The end of the client's side ({@link ChannelInputShutdownEvent}) is passed on when everything
 * before it is used up. From then on the socket is not read: epoll no longer watches it for input,
 * and would close it.
 *
 * <p>One for each pipeline.
 */
public final class SocketIntake extends Intake {
  private final SingleMessages decoder;
  private @Nullable Object endEvent;

  /** For the decoder that is behind it. */
  public SocketIntake(SingleMessages decoder) {
    super(new HeldInput(HeldInput.Watch.NONE));
    this.decoder = decoder;
  }

  @Override
  public void read(ChannelHandlerContext ctx) {
    ask(ctx);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object bytes) {
    take(ctx, (ByteBuf) bytes, /* windowBytes= */ 0);
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (!(event instanceof ChannelInputShutdownEvent)) {
      ctx.fireUserEventTriggered(event);
      return;
    }
    endEvent = event;
    end();
    if (isWanted()) {
      goOn(ctx);
    } else if (isUsedUp()) {
      endOnce(ctx);
    }
  }

  @Override
  boolean handOn(ChannelHandlerContext ctx, ByteBuf piece, boolean last) {
    long before = decoder.messages();
    ctx.fireChannelRead(piece);
    return decoder.messages() != before;
  }

  @Override
  boolean isUnfinished() {
    return decoder.mayHaveMessage();
  }

  @Override
  void tellEnd(ChannelHandlerContext ctx) {
    Object event = endEvent;
    if (event != null) {
      ctx.fireUserEventTriggered(event);
    }
  }

  @Override
  void askPeer(ChannelHandlerContext ctx) {
    decoder.compact();
    ctx.read();
  }

  @Override
  void returnWindow(ChannelHandlerContext ctx, int bytes) {
    throw new IllegalStateException("a socket has no window: " + bytes);
  }
}
