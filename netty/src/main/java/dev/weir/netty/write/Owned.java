package dev.weir.netty.write;

import dev.weir.netty.loop.LoopTasks;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufHolder;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundInvoker;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http2.Http2StreamFrame;
import io.netty.handler.stream.ChunkedInput;
import io.netty.util.ReferenceCounted;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A message that is written once, and whose memory goes back whatever becomes of the write. Making
 * one takes the message over: from then on the caller neither uses nor releases it.
 *
 * <pre>{@code
 * Owned.send(channel, response);
 * }</pre>
 *
 * <p>Netty's rule is that a write takes one reference. It has holes: a message that is no {@link
 * ReferenceCounted} itself is not released when it meets no encoder, because the channel has closed
 * and its handlers are gone, or because the encoder failed; a handler that throws, or that is
 * removed with messages in its queue, loses what it was given. Here the reference goes back:
 *
 * <table>
 *   <caption>When the memory goes back</caption>
 *   <tr><td>flushed</td><td>by the transport or the encoder; at once if they have left it</td></tr>
 *   <tr><td>failed: closed channel, no encoder, an exception in a handler</td><td>at once; where
 *       slices of it, or references that others took, are left on an open channel, when they are
 *       released or the channel closes, since they may be in its queue</td></tr>
 *   <tr><td>the event loop has ended, or takes no task for want of Java heap</td><td>before the
 *       call returns; when it has ended, if it does so meanwhile</td></tr>
 *   <tr><td>the event loop ends while the message is queued, held by a handler, or lost in
 *       one</td><td>with the channel, which the end closes; on the loop, behind its last task, if
 *       the channel is open even then</td></tr>
 *   <tr><td>cancelled</td><td>at once if no handler has seen it, else when it is flushed or the
 *       channel closes, which handlers can still do with it</td></tr>
 *   <tr><td>neither: lost in a handler, or in one that was removed</td><td>when the channel
 *       closes, not before; the write fails then</td></tr>
 * </table>
 *
 * <p>Of a stream of HTTP/2, whose bytes go through the queue of its connection, the channel is that
 * connection here: a stream may close, or be reset, long before its bytes have left.
 *
 * <p>What counts are buffers. Each buffer of the message travels under a count of its own, so that
 * slices and copies that others hold of the same memory neither confuse this nor suffer from it; a
 * {@link ByteBufHolder} is {@linkplain ByteBufHolder#replace copied} around it, with its headers; a
 * {@link ChunkedInput} travels in another, which closes it once. A handler that keeps such a buffer
 * beyond the failure of its write finds it released, and an input at its end.
 *
 * <p>What an encoder has made of the message is the channel's: where that outlives its loop
 * (SO_LINGER), with what is queued in it, nobody gives it back. On a loop that its owner drives
 * ({@code ManualIoEventLoop}) that is so of the message as well.
 *
 * <p>A counted message that cannot be given a count of its own (a file region, a type of the
 * application's) and that others share is released by the handlers that it comes to, as Netty's
 * rule is: whose reference is left could not be told.
 *
 * <p>A message that only refers to buffers is {@linkplain #build built} around them. Of other
 * messages the sender may say {@linkplain #of(Object, Consumer) how they are released}.
 *
 * <p>Channels within one JVM ({@code LocalChannel}) hand messages that no encoder has turned into
 * buffers to their peer: what those refer to is released here, unless somebody has retained it.
 *
 * <p>An instance is used by one thread at a time, and given to a channel of any event loop once.
 */
public final class Owned {
  private final Object message;
  private final List<OwnedPart> parts;
  private boolean given;

  private Owned(Object message, List<OwnedPart> parts) {
    this.message = message;
    this.parts = parts;
  }

  /** Puts buffers into a message that is being {@linkplain #build built}. */
  public interface Parts {
    /** Takes over one reference of {@code buffer}; what it returns belongs into the message. */
    ByteBuf take(ByteBuf buffer);
  }

  /**
   * Takes over {@code message}: a buffer, a holder of one, anything {@link ReferenceCounted}, or a
   * {@link ChunkedInput}, which is closed. Other messages are taken to hold nothing: {@link #build}
   * is for those that do. If there is no Java heap for that, the message is released.
   */
  public static Owned of(Object message) {
    return switch (message) {
      case ByteBuf buffer -> ofBuffer(buffer);
      case ByteBufHolder holder -> ofHolder(holder);
      case ReferenceCounted counted -> ofCounted(counted);
      case ChunkedInput<?> input -> ofInput(input);
      default -> new Owned(message, List.of());
    };
  }

  /**
   * Builds a message around buffers:
   *
   * <pre>{@code
   * Owned.build(parts -> new Frame(id, parts.take(payload))).sendTo(channel);
   * }</pre>
   *
   * If {@code maker} throws, what it has taken is released.
   */
  public static Owned build(Function<? super Parts, ?> maker) {
    TakenParts taken = new TakenParts();
    try {
      Object message = maker.apply(taken);
      return new Owned(message, taken.parts);
    } catch (Throwable failure) {
      drop(taken.parts);
      throw failure;
    }
  }

  private static final class TakenParts implements Parts {
    final List<OwnedPart> parts = new ArrayList<>(1);

    @Override
    public ByteBuf take(ByteBuf buffer) {
      OwnedByteBuf part = OwnedByteBuf.takeOver(buffer);
      try {
        parts.add(part);
      } catch (Throwable noHeap) {
        part.drop();
        throw noHeap;
      }
      return part;
    }
  }

  /**
   * Takes over a message that {@code release} gives back, once, when the write is over: on the
   * event loop, or on the calling thread where the write cannot begin, or there is no Java heap for
   * this. The pipeline must not release what the message refers to.
   */
  public static <T> Owned of(T message, Consumer<? super T> release) {
    try {
      return new Owned(message, List.of(new ClosedPart<>(message, release::accept)));
    } catch (Throwable noHeap) {
      release.accept(message);
      throw noHeap;
    }
  }

  /** Takes {@code message} over as {@link #of(Object)} does, writes and flushes it. */
  public static ChannelFuture send(Channel channel, Object message) {
    return of(message).sendTo(channel);
  }

  /** The same from the place of a handler in its pipeline. */
  public static ChannelFuture send(ChannelHandlerContext ctx, Object message) {
    return of(message).sendTo(ctx);
  }

  /**
   * Writes and flushes the message, from any thread. Its buffers count against the channel's water
   * marks from this call on, as those of Netty's own writes do.
   *
   * @return what became of it: also a failure, if the channel is closed, or its event loop has
   *     ended or takes no task
   * @throws IllegalStateException if it was given away or released before
   */
  public ChannelFuture sendTo(Channel channel) {
    return give(channel, channel, /* flush= */ true);
  }

  /** The same from the place of a handler in its pipeline. */
  public ChannelFuture sendTo(ChannelHandlerContext ctx) {
    return give(ctx.channel(), ctx, /* flush= */ true);
  }

  /** Writes the message as {@link #sendTo(Channel)} does; it stays queued until a flush. */
  public ChannelFuture writeTo(Channel channel) {
    return give(channel, channel, /* flush= */ false);
  }

  /** The same from the place of a handler in its pipeline. */
  public ChannelFuture writeTo(ChannelHandlerContext ctx) {
    return give(ctx.channel(), ctx, /* flush= */ false);
  }

  /** Releases a message that will not be written. */
  public void release() {
    take();
    drop();
  }

  /** The pipeline gets the message now. */
  void hand() {
    for (int i = 0; i < parts.size(); i++) {
      parts.get(i).hand();
    }
  }

  /** Releases all that is left. */
  void drop() {
    drop(parts);
  }

  // All by index: there may be no Java heap for an iterator.

  private static void drop(List<OwnedPart> parts) {
    for (int i = 0; i < parts.size(); i++) {
      parts.get(i).drop();
    }
  }

  /** Releases what a write that succeeded has left unused. */
  void settle() {
    for (int i = 0; i < parts.size(); i++) {
      parts.get(i).settle();
    }
  }

  /** Whether a write that succeeded has left anything unused. */
  boolean isUnused() {
    for (int i = 0; i < parts.size(); i++) {
      if (parts.get(i).isUnused()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether somebody may still read what is left: more than the sender gave has been made of it.
   */
  boolean isInUse() {
    for (int i = 0; i < parts.size(); i++) {
      OwnedPart part = parts.get(i);
      if (!part.isUntouched() && !part.isGone()) {
        return true;
      }
    }
    return false;
  }

  /** Whether nothing is left to release. */
  boolean isGone() {
    for (int i = 0; i < parts.size(); i++) {
      if (!parts.get(i).isGone()) {
        return false;
      }
    }
    return true;
  }

  private ChannelFuture give(Channel channel, ChannelOutboundInvoker through, boolean flush) {
    take();
    if (!channel.isRegistered() && channel.isOpen()) {
      drop();
      return channel.newFailedFuture(
          new IllegalStateException("the channel " + channel + " is not registered"));
    }
    ChannelPromise promise;
    OwnedWrite write;
    try {
      promise = channel.newPromise();
      write = new OwnedWrite(this, channel, promise);
    } catch (Throwable noHeap) {
      drop();
      throw noHeap;
    }
    try {
      if (channel.eventLoop().inEventLoop()) {
        write.begin(through, message, flush);
      } else {
        bring(write, channel, through, flush);
      }
    } catch (Throwable noEventLoop) {
      drop();
      promise.tryFailure(noEventLoop);
    }
    return promise;
  }

  private void bring(
      OwnedWrite write, Channel channel, ChannelOutboundInvoker through, boolean flush) {
    BytesOnTheirWay.OfOneWrite onTheirWay = new BytesOnTheirWay.OfOneWrite(channel);
    boolean brought = false;
    try {
      for (OwnedPart part : parts) {
        part.countOnItsWay(onTheirWay);
      }
      LoopTasks.execute(
          channel.eventLoop(),
          new LoopTasks.Task() {
            @Override
            public void run() {
              onTheirWay.arrived();
              try {
                write.begin(through, message, flush);
              } finally {
                onTheirWay.tellIfUntold();
              }
            }

            @Override
            public void lost() {
              onTheirWay.arrived();
              try {
                write.lose();
              } finally {
                onTheirWay.tellIfUntold();
              }
            }
          });
      brought = true;
    } finally {
      if (!brought) {
        onTheirWay.arrived();
        onTheirWay.tellIfUntold();
      }
    }
  }

  private void take() {
    if (given) {
      throw new IllegalStateException("the message was given away or released before");
    }
    given = true;
  }

  private static Owned ofBuffer(ByteBuf buffer) {
    OwnedByteBuf part = OwnedByteBuf.takeOver(buffer);
    try {
      return new Owned(part, List.of(part));
    } catch (Throwable noHeap) {
      part.drop();
      throw noHeap;
    }
  }

  private static Owned ofCounted(ReferenceCounted message) {
    try {
      return new Owned(message, List.of(new ReferencedPart(message)));
    } catch (Throwable noHeap) {
      message.release();
      throw noHeap;
    }
  }

  private static <B> Owned ofInput(ChunkedInput<B> input) {
    try {
      OwnedInput<B> owned = new OwnedInput<>(input);
      return new Owned(owned, List.of(owned.part()));
    } catch (Throwable noHeap) {
      Unwritten.release(input);
      throw noHeap;
    }
  }

  private static Owned ofHolder(ByteBufHolder holder) {
    ByteBuf content = holder.content();
    int countBefore = holder.refCnt();
    content.retain();
    boolean hasOwnCount = holder.refCnt() == countBefore;
    if (!hasOwnCount) {
      content.release();
    }
    OwnedByteBuf part = null;
    ByteBufHolder copy;
    try {
      part = OwnedByteBuf.takeOver(content);
      copy = holder.replace(part);
    } catch (Throwable failure) {
      if (part != null) {
        part.drop();
      }
      if (hasOwnCount) {
        holder.release();
      }
      throw failure;
    }
    if (copy.getClass() != holder.getClass()) {
      // A type that inherits replace() would lose what makes it one.
      if (hasOwnCount) {
        copy.release(copy.refCnt());
      }
      return ofCounted(holder);
    }
    try {
      if (holder instanceof Http2StreamFrame of && copy instanceof Http2StreamFrame frame) {
        // The stream is no part of what Netty's data frame gives its copies.
        frame.stream(of.stream());
      }
      return new Owned(copy, hasOwnCount ? List.of(part, new RestOf(copy)) : List.of(part));
    } catch (Throwable failure) {
      if (hasOwnCount) {
        copy.release(copy.refCnt());
      }
      part.drop();
      throw failure;
    } finally {
      if (hasOwnCount) {
        // It may hold more than its content, and has given the copy references to that.
        holder.release();
      }
    }
  }

  /** What a holder with a count of its own holds beside its content, which is another part. */
  private static final class RestOf extends ReferencedPart {
    RestOf(ByteBufHolder holder) {
      super(holder);
    }

    @Override
    public void countOnItsWay(BytesOnTheirWay.OfOneWrite onTheirWay) {
      // Its content is.
    }
  }
}
