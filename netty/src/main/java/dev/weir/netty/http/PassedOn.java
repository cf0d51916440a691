package dev.weir.netty.http;

import io.netty.channel.ChannelHandlerContext;

/**
 * What an application has been given since it asked for more, and since it last heard of an end of
 * reading. Used on the channel's event loop.
 *
 * <p>Netty's handlers count on the second: many write as a message comes, and flush when reading
 * ends. What is passed on by a task, long after the read that brought it, has an end of its own.
 */
final class PassedOn {
  private boolean sinceRead;
  private boolean sinceEnd;

  /** Something is about to be passed on. */
  void next() {
    sinceRead = true;
    sinceEnd = true;
  }

  /** More has been asked for. */
  void readAsked() {
    sinceRead = false;
  }

  /** Whether nothing was passed on that would make the application ask for more. */
  boolean isNothingSinceRead() {
    return !sinceRead;
  }

  /** Tells the application of the end of a read. */
  void end(ChannelHandlerContext ctx) {
    sinceEnd = false;
    ctx.fireChannelReadComplete();
  }

  /** The same outside of a read, if something was passed on there. */
  void endIfDue(ChannelHandlerContext ctx) {
    if (sinceEnd) {
      end(ctx);
    }
  }
}
