package dev.weir.netty.http;

import dev.weir.netty.flow.Admission;
import dev.weir.netty.flow.ReadHolds;
import dev.weir.netty.loop.EventLoops;
import dev.weir.netty.write.AbortiveClose;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.time.Duration;
import java.util.ArrayDeque;
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
  /*
   *             head                 admitted               last content
   *   IDLE ───────────▶ ADMITTING ───────────▶ GATHERING ────────────────▶ PASSED_ON
   *    ▲                    ▲   step needed      │                            │
   *    │                    └────────────────────┘                            │
   *    └───────────────────────── response written ───────────────────────────┘
   *
   *   A part that is being written to a file is waited for in ADMITTING too.
   *   Any of them goes to REFUSING when the request is refused, or a part of a response is lost: what
   *   still arrives is discarded.
   *   Messages that arrive in ADMITTING and PASSED_ON are held back, and the channel stops reading.
   */
  private enum Phase {
    IDLE,
    ADMITTING,
    GATHERING,
    PASSED_ON,
    REFUSING
  }

  private final AggregatorOptions options;
  private final BodyIntake intake;
  private final ResponseTracker answers = new ResponseTracker();
  private final HeadWatch headWatch;
  private final ResponseWriter responses;
  private final PassedOn passedOn = new PassedOn();

  private final ArrayDeque<HttpObject> heldBack = new ArrayDeque<>();
  private Phase phase = Phase.IDLE;
  private @Nullable IncomingRequest request;
  private boolean handlingHeldBack;
  private boolean inputEnded;

  /** Whether what comes and goes is HTTP no more: neither is its end this handler's. */
  private boolean leftHttp;

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
    this.options = options;
    this.intake = new BodyIntake(admission, options, spill, new Receiver());
    this.headWatch = new HeadWatch(options.idleTimeout(), this::endLate);
    this.responses = new ResponseWriter(answers, headWatch, new Exchange());
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
    dropEverything();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    headWatch.brought();
    ReadHolds.of(ctx.channel()).heard(event);
    if (event instanceof ChannelInputShutdownEvent) {
      inputEnded = true;
      handleHeldBack(ctx);
      passedOn.endIfDue(ctx);
      closeAtTheEnd(ctx);
    }
    ctx.fireUserEventTriggered(event);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    headWatch.brought();
    if (message instanceof HttpObject part
        && (part instanceof HttpRequest || part instanceof HttpContent)) {
      heldBack.add(part);
      handleHeldBack(ctx);
    } else {
      passedOn.next();
      ctx.fireChannelRead(message);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    headWatch.readComplete();
    watch();
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

  /** What becomes of the request that is passed on. */
  private final class Exchange implements ResponseWriter.Exchange {
    @Override
    public boolean awaitsResponse() {
      return phase == Phase.PASSED_ON;
    }

    @Override
    public void responded(ChannelHandlerContext ctx) {
      phase = Phase.IDLE;
      if (answers.leaveHttp()) {
        leftHttp = true;
        headWatch.end();
      }
      closeAtTheEnd(ctx);
      if (!heldBack.isEmpty()) {
        // Not from here: the application is still writing.
        ctx.executor().execute(() -> goOn(ctx));
      }
    }

    @Override
    public void cutOff(ChannelHandlerContext ctx) {
      endUnheard(ctx);
    }
  }

  /** The time for a head is over: ends the connection, if a head is what it waits for. */
  private void endLate(ChannelHandlerContext ctx) {
    if (phase != Phase.IDLE || !heldBack.isEmpty() || !answers.areSent()) {
      return;
    }
    if (headWatch.hasBegun()) {
      refuseLate(ctx, "the headers were not complete within ", options.idleTimeout());
    } else {
      AbortiveClose.close(ctx);
    }
  }

  /** Watches the body that keeps the channel waiting, if one does. */
  private void watch() {
    IncomingRequest current = request;
    if (current != null && phase == Phase.GATHERING) {
      current.watch();
    }
  }

  /** Closes the channel if nothing can come any more, once all is answered and sent. */
  private void closeAtTheEnd(ChannelHandlerContext ctx) {
    if (inputEnded && !leftHttp && phase == Phase.IDLE && heldBack.isEmpty()) {
      answers.closeAfterLast(ctx);
    }
  }

  /**
   * Handles what arrived, in order, as far as the phase allows, and reads on if nothing is left.
   */
  private void handleHeldBack(ChannelHandlerContext ctx) {
    if (handlingHeldBack || ctx.isRemoved()) {
      return;
    }
    handlingHeldBack = true;
    try {
      while (phase != Phase.ADMITTING && phase != Phase.PASSED_ON && !heldBack.isEmpty()) {
        handleNext(ctx);
      }
      if (inputEnded && phase == Phase.GATHERING) {
        refuse(ctx, new RefusedRequestException(HttpResponseStatus.BAD_REQUEST, "body cut short"));
      }
    } finally {
      handlingHeldBack = false;
    }
    if (ctx.isRemoved()) {
      return;
    }
    if (phase == Phase.ADMITTING || !heldBack.isEmpty()) {
      if (!ReadHolds.of(ctx.channel()).hold(ReadHolds.Reason.ORDER)) {
        endUnheard(ctx);
      }
    } else {
      ReadHolds.of(ctx.channel()).release(ReadHolds.Reason.ORDER);
    }
  }

  private void handleNext(ChannelHandlerContext ctx) {
    HttpObject part = heldBack.remove();
    try {
      if (phase == Phase.REFUSING) {
        ReferenceCountUtil.release(part);
      } else if (part.decoderResult().isFailure()) {
        ReferenceCountUtil.release(part);
        refuse(ctx, RefusedRequestException.malformed(part.decoderResult().cause()));
      } else if (part instanceof FullHttpRequest whole) {
        passOn(ctx, whole);
      } else if (part instanceof HttpRequest head) {
        begin(ctx, head);
      } else if (part instanceof HttpContent content) {
        gather(ctx, content);
      }
    } catch (RefusedRequestException refusal) {
      refuse(ctx, refusal);
    } catch (RuntimeException | Error failure) {
      refuseFor(ctx, failure);
    }
  }

  /** What nobody has foreseen leaves no client without an answer. */
  private void refuseFor(ChannelHandlerContext ctx, Throwable failure) {
    if (phase == Phase.PASSED_ON || phase == Phase.REFUSING) {
      ctx.fireExceptionCaught(failure); // The application answers, or this has.
    } else {
      refuse(ctx, RefusedRequestException.of(failure));
    }
  }

  private void begin(ChannelHandlerContext ctx, HttpRequest head) throws RefusedRequestException {
    if (request != null) {
      throw new RefusedRequestException(HttpResponseStatus.BAD_REQUEST, "body cut short");
    }
    StallWatch stallWatch =
        new StallWatch(ctx.executor(), options.stallTimeout(), () -> refuseStalled(ctx));
    IncomingRequest next = IncomingRequest.of(head, options, intake.admission(), stallWatch);
    request = next;
    int bytesToAdmit = next.body().bytesToAdmit(0);
    next.asked();
    if (bytesToAdmit > 0) {
      intake.makeRoom(ctx, next, next.declaredBytes(), bytesToAdmit);
    } else {
      startGathering(ctx, next);
    }
  }

  private void gather(ChannelHandlerContext ctx, HttpContent content)
      throws RefusedRequestException {
    IncomingRequest current = request;
    if (current == null) {
      // What follows a request that came whole.
      content.release();
      return;
    }
    int bytes = content.content().readableBytes();
    boolean held = false;
    try {
      int bytesToAdmit = bytes == 0 ? 0 : current.body().bytesToAdmit(bytes);
      if (bytesToAdmit > 0) {
        heldBack.addFirst(content);
        held = true;
        long allBytes = current.body().lengthBytes() + (long) bytes;
        intake.makeRoom(ctx, current, allBytes, bytesToAdmit);
        return;
      }
      if (current.body() instanceof SpilledBody spilled) {
        JoinedParts parts = JoinedParts.of(content, heldBack, spilled);
        current.received(parts.bytes().readableBytes());
        if (parts.bytes().isReadable() || parts.last() != null) {
          intake.write(ctx, current, spilled, parts.bytes(), parts.last());
        } else {
          parts.bytes().release();
        }
        return;
      }
      current.received(bytes);
      if (bytes > 0) {
        current.body().append(content.content());
      }
      if (content instanceof LastHttpContent last) {
        finish(ctx, current, last);
      }
    } finally {
      if (!held) {
        content.release();
      }
    }
  }

  private void finish(ChannelHandlerContext ctx, IncomingRequest current, LastHttpContent last)
      throws RefusedRequestException {
    FullHttpRequest whole = current.finish(last.trailingHeaders());
    request = null;
    ReadHolds.of(ctx.channel()).endExemption();
    passOn(ctx, whole);
  }

  /**
   * Room came, or did not: at once, in the middle of handling what is held back, or later. Or the
   * request before is answered.
   */
  private void goOn(ChannelHandlerContext ctx) {
    handleHeldBack(ctx);
    if (!handlingHeldBack) {
      passedOn.endIfDue(ctx);
      watch();
    }
  }

  private void startGathering(ChannelHandlerContext ctx, IncomingRequest current) {
    phase = Phase.GATHERING;
    ReadHolds.of(ctx.channel()).exempt();
    if (current.takeContinueExpectation()) {
      ctx.writeAndFlush(
              new DefaultFullHttpResponse(
                  HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER))
          .addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
    }
  }

  private void passOn(ChannelHandlerContext ctx, FullHttpRequest whole) {
    phase = Phase.PASSED_ON;
    passedOn.next();
    answers.asked(whole.method());
    ctx.fireChannelRead(whole);
  }

  private void refuseStalled(ChannelHandlerContext ctx) {
    refuseLate(ctx, "too little of the body within ", options.stallTimeout());
  }

  /** Its timer has run out, and there is no other. */
  private void refuseLate(ChannelHandlerContext ctx, String what, Duration timeout) {
    refuse(ctx, new RefusedRequestException(HttpResponseStatus.REQUEST_TIMEOUT, what + timeout));
  }

  private void refuse(ChannelHandlerContext ctx, RefusedRequestException refusal) {
    discard(ctx);
    try {
      LingeringClose.after(ctx, refusal.toResponse(options.retryAfter()));
    } catch (Throwable failure) {
      AbortiveClose.close(ctx);
      throw failure;
    } finally {
      refusal.log();
    }
  }

  /** Drops what there is, and all that comes from now on. */
  private void discard(ChannelHandlerContext ctx) {
    phase = Phase.REFUSING;
    dropEverything();
    ReadHolds.of(ctx.channel()).endExemption();
  }

  /** No answer comes, or the rest of one: drops what there is, and reads on for the end. */
  private void endUnheard(ChannelHandlerContext ctx) {
    discard(ctx);
    ReadHolds.of(ctx.channel()).release(ReadHolds.Reason.ORDER);
  }

  private void dropEverything() {
    IncomingRequest current = request;
    request = null;
    if (current != null) {
      current.drop();
    }
    for (HttpObject part = heldBack.poll(); part != null; part = heldBack.poll()) {
      ReferenceCountUtil.release(part);
    }
  }

  private final class Receiver implements BodyIntake.Receiver {
    @Override
    public void waits() {
      phase = Phase.ADMITTING;
    }

    @Override
    public void ready(
        ChannelHandlerContext ctx, IncomingRequest current, @Nullable LastHttpContent last) {
      try {
        startGathering(ctx, current);
        if (last != null) {
          finish(ctx, current, last);
        }
      } catch (RefusedRequestException refusal) {
        refuse(ctx, refusal);
      } catch (RuntimeException | Error failure) {
        refuseFor(ctx, failure);
      }
      goOn(ctx);
    }

    @Override
    public void refused(
        ChannelHandlerContext ctx, IncomingRequest current, RefusedRequestException refusal) {
      refuse(ctx, refusal);
      goOn(ctx);
    }
  }
}
