package dev.weir.netty.http;

import dev.weir.netty.flow.Admission;
import dev.weir.netty.flow.ReadHolds;
import dev.weir.netty.loop.EventLoops;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import org.jspecify.annotations.Nullable;

/**
 * Turns the parts of an HTTP/1.1 request into one {@link FullHttpRequest} whose memory was admitted
 * before the first byte of the body was taken in. Goes behind an {@code HttpServerCodec}, on the
 * channel's own event loop; one instance per channel. A channel stays on the event loop that it was
 * registered with first.
 *
 * <p>A request that declares its length asks for all of it at once, before {@code 100 Continue} is
 * sent and while the channel is not read from, so that TCP pushes back. A body of unknown length
 * asks for one step after another, each for what comes next. Either is one contiguous buffer if its
 * memory is a pool's ({@link dev.weir.netty.flow.WeirAdmission}), where what grows does so where it
 * lies; where it cannot (steps below 64 KiB, hardened blocks, another admission), a body of several
 * steps is a composite of buffers. Each wait has a deadline, so that growing bodies that wait for
 * each other's memory do not do so for ever. Releasing the request releases its memory, and with it
 * the admitted bytes. With a {@link Spill}, bodies that are large, or for which memory does not
 * come soon, go to a file.
 *
 * <p>Refused requests never reach the application: {@code 413} above the maximum, before the body
 * is taken in; {@code 503} with {@code Retry-After} when no room appeared in time; {@code 408} when
 * the body stalls, or its head does not come whole; {@code 400}, {@code 414}, {@code 417} and
 * {@code 431} for requests that make no sense; {@code 501} for transfer codings other than {@code
 * chunked}; {@code 500} where something fails that nobody has foreseen. The connection closes after
 * a refusal, once the client had a moment to read it.
 *
 * <p>Pipelined requests are passed on one at a time: the next waits, unread where possible, until
 * the last content of the response to the current one has been written, or an {@link
 * io.netty.handler.codec.http.HttpChunkedInput}, which ends with it. Behind one that is passed on
 * outside of a read an end of reading is fired of its own, as handlers that flush there expect. A
 * response of which a part could not be written ends the channel, and nothing is written or flushed
 * behind it: the client would take it for whole, or what follows for its rest. A {@code
 * ChunkedWriteHandler} may be on either side of this handler; it goes behind it where inputs are
 * written as {@link dev.weir.netty.write.Owned}, since nobody sees the kind of those. A connection
 * whose client has ended its side is closed after the last response, and one that sends no further
 * request, or next to nothing of its head, after the idle timeout; that of the connection of
 * HTTP/2's streams is not this class's, and what follows an answered {@code Upgrade} or {@code
 * CONNECT} is not either. Whatever is held when the channel closes or the handler is removed is
 * released. A request that waits is dropped when its stream of HTTP/2 is reset and, if the
 * connection has {@link dev.weir.netty.flow.Http2Windows}, when nothing more can come on that for
 * another reason.
 *
 * <p>Works with auto-read on and off. While the channel is not read from, transports that learn of
 * a closed connection by reading (NIO) notice a vanished client only when its turn comes.
 */
public final class BudgetedHttpAggregator extends ChannelDuplexHandler {
  private final RequestAssembly assembly;
  private final HeadWatch headWatch;
  private final ResponseWriter responses;
  private final PassedOn passedOn;

  /**
   * Takes bodies into memory that {@code admission} grants, within the limits of {@code options}.
   */
  public BudgetedHttpAggregator(Admission admission, AggregatorOptions options) {
    this(admission, options, /* spill= */ (Spill) null);
  }

  /**
   * The same, but bodies above the threshold of {@code spill}, and those that get no memory within
   * its patience, go to a file instead. What the application gets is the file, mapped: the same
   * contiguous buffer, whose release gives the file back.
   */
  public BudgetedHttpAggregator(
      Admission admission, AggregatorOptions options, @Nullable Spill spill) {
    this.assembly = new RequestAssembly(admission, options, spill);
    this.headWatch = assembly.headWatch();
    this.responses = assembly.responses();
    this.passedOn = assembly.passedOn();
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    EventLoops.requireOwn(ctx);
    responses.begin(ctx);
    headWatch.begin(ctx);
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    headWatch.begin(ctx);
    ctx.fireChannelActive();
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    end(ctx);
    ReadHolds holds = ReadHolds.of(ctx.channel());
    holds.endExemption();
    holds.release(ReadHolds.Reason.ORDER);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    try {
      end(ctx);
    } finally {
      ctx.fireChannelInactive();
    }
  }

  private void end(ChannelHandlerContext ctx) {
    responses.end(ctx);
    headWatch.end();
    assembly.dropEverything();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    headWatch.brought();
    ReadHolds.of(ctx.channel()).heard(event);
    if (event instanceof ChannelInputShutdownEvent) {
      assembly.inputEnded(ctx);
    }
    ctx.fireUserEventTriggered(event);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    headWatch.brought();
    if (message instanceof HttpObject part
        && (part instanceof HttpRequest || part instanceof HttpContent)) {
      assembly.add(ctx, part);
    } else {
      passedOn.next();
      ctx.fireChannelRead(message);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    headWatch.readComplete();
    assembly.watch();
    passedOn.end(ctx);
    if (passedOn.isNothingSinceRead() && !ctx.channel().config().isAutoRead()) {
      // The read brought the application nothing that would make it ask for more.
      read(ctx);
    }
  }

  @Override
  public void read(ChannelHandlerContext ctx) {
    passedOn.readAsked();
    if (!ReadHolds.of(ctx.channel()).deferRead()) {
      ctx.read();
    }
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    try {
      responses.write(ctx, message, promise);
    } catch (Throwable failure) {
      responses.cutOff(ctx); // What follows would come behind a hole.
      throw failure;
    }
  }

  @Override
  public void flush(ChannelHandlerContext ctx) {
    responses.flush(ctx);
  }

  @Override
  public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
    responses.close(ctx, promise);
  }
}
