package dev.weir.netty.http;

import dev.weir.netty.flow.Admission;
import dev.weir.netty.flow.ReadHolds;
import dev.weir.netty.write.AbortiveClose;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
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
 * Assembles the parts of the requests of one channel, in their order, and passes each request on
 * when it is whole and the one before is answered. Used on the channel's event loop.
 */
final class RequestAssembly {
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

  RequestAssembly(Admission admission, AggregatorOptions options, @Nullable Spill spill) {
    this.options = options;
    this.intake = new BodyIntake(admission, options, spill, new Receiver());
    this.headWatch = new HeadWatch(options.idleTimeout(), this::endLate);
    this.responses = new ResponseWriter(answers, headWatch, new Exchange());
  }

  HeadWatch headWatch() {
    return headWatch;
  }

  ResponseWriter responses() {
    return responses;
  }

  PassedOn passedOn() {
    return passedOn;
  }

  /** Takes what has come, and goes on as far as it can. */
  void add(ChannelHandlerContext ctx, HttpObject part) {
    heldBack.add(part);
    handleHeldBack(ctx);
  }

  /** Nothing more comes. */
  void inputEnded(ChannelHandlerContext ctx) {
    inputEnded = true;
    handleHeldBack(ctx);
    passedOn.endIfDue(ctx);
    closeAtTheEnd(ctx);
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
  void watch() {
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

  /** Releases the request that is being assembled, and all that is held back. */
  void dropEverything() {
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
