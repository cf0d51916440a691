package dev.weir.netty.write;

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
 *   <tr><td>the event loop has ended, or takes no task</td><td>before the call returns</td></tr>
 *   <tr><td>the event loop ends while the message is queued, held by a handler, or lost in
 *       one</td><td>with the channel, if the end of the loop closes that</td></tr>
 *   <tr><td>cancelled</td><td>when it is flushed or the channel closes, which handlers can still
 *       do with it</td></tr>
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
 * <p>An event loop that ends closes the channels that it knows. Netty forgets one that its last
 * task registers, and one that lingers (SO_LINGER) stays open: what they have queued does not go
 * back.
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
   * is for those that do.
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
      taken.parts.forEach(OwnedPart::drop);
      throw failure;
    }
  }

  private static final class TakenParts implements Parts {
    final List<OwnedPart> parts = new ArrayList<>(1);

    @Override
    public ByteBuf take(ByteBuf buffer) {
      OwnedByteBuf part = new OwnedByteBuf(buffer);
      parts.add(part);
      return part;
    }
  }

  /**
   * Takes over a message that {@code release} gives back, once, when the write is over: on the
   * event loop, or on the calling thread where the write cannot begin. The pipeline must not
   * release what the message refers to.
   */
  public static <T> Owned of(T message, Consumer<? super T> release) {
    return new Owned(message, List.of(new ClosedPart<>(message, release::accept)));
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
   * Writes and flushes the message, from any thread. Its bytes count against the channel's water
   * marks from this call on, as Netty's message size estimator finds them.
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
    parts.forEach(OwnedPart::hand);
  }

  /** Releases all that is left. */
  void drop() {
    parts.forEach(OwnedPart::drop);
  }

  /** Releases what a write that succeeded has left unused. */
  void settle() {
    parts.forEach(OwnedPart::settle);
  }

  /** Whether a write that succeeded has left anything unused. */
  boolean isUnused() {
    for (OwnedPart part : parts) {
      if (part.isUnused()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether somebody may still read what is left: more than the sender gave has been made of it.
   */
  boolean isInUse() {
    for (OwnedPart part : parts) {
      if (!part.isUntouched() && !part.isGone()) {
        return true;
      }
    }
    return false;
  }

  /** Whether nothing is left to release. */
  boolean isGone() {
    for (OwnedPart part : parts) {
      if (!part.isGone()) {
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
    ChannelPromise promise = channel.newPromise();
    OwnedWrite write = new OwnedWrite(this, channel, promise);
    write.begin(through, message, flush);
    return promise;
  }

  private void take() {
    if (given) {
      throw new IllegalStateException("the message was given away or released before");
    }
    given = true;
  }

  private static Owned ofBuffer(ByteBuf buffer) {
    OwnedByteBuf part = new OwnedByteBuf(buffer);
    return new Owned(part, List.of(part));
  }

  private static Owned ofCounted(ReferenceCounted message) {
    return new Owned(message, List.of(new ReferencedPart(message)));
  }

  private static <B> Owned ofInput(ChunkedInput<B> input) {
    OwnedInput<B> owned = new OwnedInput<>(input);
    return new Owned(owned, List.of(owned.part()));
  }

  private static Owned ofHolder(ByteBufHolder holder) {
    ByteBuf content = holder.content();
    int countBefore = holder.refCnt();
    content.retain();
    boolean hasOwnCount = holder.refCnt() == countBefore;
    if (!hasOwnCount) {
      content.release();
    }
    OwnedByteBuf part = new OwnedByteBuf(content);
    ByteBufHolder copy;
    try {
      copy = holder.replace(part);
    } catch (Throwable failure) {
      part.drop();
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
    if (holder instanceof Http2StreamFrame of && copy instanceof Http2StreamFrame frame) {
      // The stream is no part of what Netty's data frame gives its copies.
      frame.stream(of.stream());
    }
    if (!hasOwnCount) {
      return new Owned(copy, List.of(part));
    }
    // It may hold more than its content, and has given the copy references to that.
    holder.release();
    return new Owned(copy, List.of(part, new ReferencedPart(copy)));
  }
}
