package dev.weir.netty.flow;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;

/**
 * Hands input on one piece at a time, each when it is asked for. So a slow consumer is felt by the
 * peer, not by this process' memory.
 *
 * <pre>
 *   bytes come ──▶ wanted, and nothing held ──▶ handed on as they are
 *              └─▶ otherwise ──▶ held as a copy ──▶ handed on when asked for
 * </pre>
 *
 * The part of a window that a piece has used is returned when the next piece is asked for. A peer
 * is never further ahead than its window.
 *
 * <p>One for a pipeline, used on its event loop. A consumer may ask from within the call that hands
 * it a piece; that takes no deep stack.
 */
abstract class Intake extends ChannelDuplexHandler {
  private final HeldInput held;
  private boolean wanted;

  /** Whether a consumer is being called. */
  private boolean handing;

  private boolean ended;
  private boolean endTold;

  /** Of the window: what is held, and what was handed on and is in use. */
  private int heldWindowBytes;

  private int usedWindowBytes;

  Intake(HeldInput held) {
    this.held = held;
  }

  /**
   * Hands a piece on, and gives it away.
   *
   * @param last whether nothing follows it
   * @return whether it was what has been asked for; if not, the next piece is handed on as well
   */
  abstract boolean handOn(ChannelHandlerContext ctx, ByteBuf piece, boolean last);

  /** Tells that nothing follows what was handed on. Called once. */
  abstract void tellEnd(ChannelHandlerContext ctx);

  /** Something is wanted, and nothing is held. */
  abstract void askPeer(ChannelHandlerContext ctx);

  /** Tells the peer that it may send so much more. */
  abstract void returnWindow(ChannelHandlerContext ctx, int bytes);

  /** Whether the consumer may make something of what it was given before. */
  boolean isUnfinished() {
    return false;
  }

  /** Asks for a piece; what was handed on is used up. */
  final void ask(ChannelHandlerContext ctx) {
    wanted = true;
    int windowBytes = usedWindowBytes;
    usedWindowBytes = 0;
    if (windowBytes > 0) {
      returnWindow(ctx, windowBytes);
    }
    goOn(ctx);
  }

  /** Takes in what has come, and releases it. */
  final void take(ChannelHandlerContext ctx, ByteBuf bytes, int windowBytes) {
    if (wanted && !handing && held.isEmpty()) {
      hand(ctx, bytes, windowBytes);
    } else {
      try {
        held.add(ctx.alloc(), bytes);
        heldWindowBytes += windowBytes;
      } finally {
        bytes.release();
      }
    }
    goOn(ctx);
  }

  /** Nothing more will come. */
  final void end() {
    ended = true;
  }

  /** Whether everything has come. */
  final boolean hasEnded() {
    return ended;
  }

  final boolean isWanted() {
    return wanted;
  }

  /** Whether there is nothing to hand on. */
  final boolean isUsedUp() {
    return held.isEmpty() && !isUnfinished();
  }

  /** Hands on what is wanted. */
  final void goOn(ChannelHandlerContext ctx) {
    while (isReady() && !isUsedUp()) {
      ByteBuf next = held.poll();
      if (next == null) {
        hand(ctx, Unpooled.EMPTY_BUFFER, /* windowBytes= */ 0);
      } else {
        // Padding, which is in the window too, goes with what is handed on last.
        int windowBytes = held.isEmpty() ? heldWindowBytes : next.readableBytes();
        heldWindowBytes -= windowBytes;
        hand(ctx, next, windowBytes);
      }
    }
    if (isReady()) {
      if (ended) {
        endOnce(ctx);
      } else {
        askPeer(ctx);
      }
    }
  }

  private boolean isReady() {
    return wanted && !handing && !endTold;
  }

  private void hand(ChannelHandlerContext ctx, ByteBuf piece, int windowBytes) {
    wanted = false;
    usedWindowBytes += windowBytes;
    handing = true;
    try {
      // A statement of its own: the consumer may ask meanwhile.
      boolean served = handOn(ctx, piece, ended && held.isEmpty());
      wanted |= !served;
    } finally {
      handing = false;
    }
  }

  /** Tells the end, if that has not been done. */
  final void endOnce(ChannelHandlerContext ctx) {
    if (!endTold) {
      endTold = true;
      tellEnd(ctx);
    }
  }

  /** The end was told with the last piece. */
  final void endIsTold() {
    endTold = true;
  }

  /** Drops what is held; its window is not returned. */
  final void dropHeld() {
    heldWindowBytes = 0;
    held.release();
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    held.release();
  }
}
