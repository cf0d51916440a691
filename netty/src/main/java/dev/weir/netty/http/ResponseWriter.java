package dev.weir.netty.http;

import dev.weir.netty.write.AbortiveClose;
import dev.weir.netty.write.Unwritten;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.util.concurrent.EventExecutor;
import java.nio.channels.ClosedChannelException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes the responses of an application, part by part. Where one of their parts is lost nothing is
 * written or flushed behind it, and the channel is closed: its beginning may have left. Used on the
 * channel's event loop.
 */
final class ResponseWriter {
  /** The request that a response is to. */
  interface Exchange {
    /** Whether the application has it, and has not ended its response. */
    boolean awaitsResponse();

    /** The last part of the response has been written, and is not lost so far. */
    void responded(ChannelHandlerContext ctx);

    /** The channel is closed soon: what has come, and comes, is discarded. */
    void cutOff(ChannelHandlerContext ctx);
  }

  private final ResponseTracker answers;
  private final HeadWatch heads;
  private final Exchange exchange;
  private final LossDetector watch;
  private @Nullable BooleanSupplier judge;
  private boolean cutOff;
  private boolean refusing;

  /** How often something has been flushed. */
  private int flushes;

  /**
   * Has written nothing yet.
   *
   * @param answers follows what is written
   * @param heads hears that a response has left
   */
  ResponseWriter(ResponseTracker answers, HeadWatch heads, Exchange exchange) {
    this.answers = answers;
    this.exchange = exchange;
    this.watch = new LossDetector(this::sent, this::cutOff);
    this.heads = heads;
  }

  /** A response has left: on the event loop, or on another thread. */
  private void sent(ChannelFuture end) {
    heads.responseSent();
    EventExecutor loop = end.channel().eventLoop();
    if (loop.inEventLoop()) {
      answers.sent();
    } else {
      loop.execute(answers::sent);
    }
  }

  /** Begins with a channel; before anything else. */
  void begin(ChannelHandlerContext ctx) {
    watch.begin(ctx);
    if (!(ctx.channel() instanceof Http2StreamChannel)) {
      BooleanSupplier seemsWhole = answers::seemWhole;
      judge = seemsWhole;
      AbortiveClose.judgeBy(ctx.channel(), seemsWhole);
    }
  }

  /** Writes no more: the channel has closed, or is another handler's. */
  void end(ChannelHandlerContext ctx) {
    watch.end();
    if (judge != null && answers.areSent()) {
      AbortiveClose.judgeNoMoreBy(ctx.channel(), judge);
    }
  }

  void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (isCutOff()) {
      Unwritten.release(message);
      cutOff(ctx);
      refuse(promise);
    } else if (exchange.awaitsResponse() && answers.isPart(message)) {
      writePart(ctx, message, promise);
    } else {
      answers.writing(message);
      ctx.write(message, promise);
    }
  }

  private void writePart(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    boolean ends = ResponseTracker.isEnd(message);
    PartPromise part = watch.promiseFor(promise, ends);
    boolean isMisplaced = answers.hasBegun() && message instanceof HttpResponse;
    if (!isMisplaced) {
      answers.writing(message);
    }
    answers.sending(part);
    writePart(ctx, message, part, isMisplaced);
    if (isCutOff()) {
      cutOff(ctx); // This part was lost, or one before it meanwhile.
    } else if (ends) {
      exchange.responded(ctx);
    }
  }

  /** A void promise tells of it by an exception, of which a handler may write with another. */
  private void refuse(ChannelPromise promise) {
    boolean within = refusing;
    refusing = true;
    try {
      if (!within || !promise.isVoid()) {
        promise.tryFailure(new ClosedChannelException());
      }
    } finally {
      refusing = within;
    }
  }

  private void writePart(
      ChannelHandlerContext ctx, Object message, PartPromise part, boolean isMisplaced) {
    int flushesBefore = flushes;
    if (isMisplaced) {
      lose(message, part);
    } else {
      ctx.write(message, part);
    }
    boolean isLost = part.isDone() && !part.isSuccess();
    if (isLost && !cutOff) {
      lostAtOnce(ctx, part, /* isUnflushed= */ flushes == flushesBefore);
    }
    part.written(isLost);
  }

  /**
   * A head in the middle of a response is not left to the encoder: a handler before it may take it
   * for the end of what it compresses, or for an answer to the next request.
   */
  private static void lose(Object head, PartPromise part) {
    Unwritten.release(head);
    part.tryFailure(
        new IllegalStateException(
            "a response begins in the middle of another: write the LastHttpContent of that before"
                + " it, or close the channel where that one cannot be completed"));
  }

  private void lostAtOnce(ChannelHandlerContext ctx, ChannelFuture part, boolean isUnflushed) {
    watch.report(part);
    boolean flushesIt = answers.isLast(part);
    if (answers.isHead(part) && isUnflushed) {
      // Of a whole response the codec may have written the head, and the end would seem its own.
      flushesIt &= !answers.endWithChannel();
      answers.dropHead();
    }
    cutOff(ctx);
    if (flushesIt) {
      ctx.flush(); // What is before it may be whole responses.
    } else {
      watch.closeNow();
    }
  }

  /** Flushes, unless something was written behind a part that is lost. */
  void flush(ChannelHandlerContext ctx) {
    if (isCutOff()) {
      cutOff(ctx);
    } else {
      flushes++;
      ctx.flush();
    }
  }

  /** Closes the channel, so that a response of which a part is lost does not seem whole. */
  void close(ChannelHandlerContext ctx, ChannelPromise promise) {
    if (!endsWithChannel(ctx) || answers.areSent()) {
      closeNow(ctx, promise);
    } else if (promise.setUncancellable()) {
      // Whoever closes for a loss may have heard of it first, from a handler nearer to the wire.
      ctx.executor().execute(() -> closeNow(ctx, promise));
    }
  }

  private void closeNow(ChannelHandlerContext ctx, ChannelPromise promise) {
    if (endsWithChannel(ctx) && isCutOff()) {
      AbortiveClose.close(ctx, promise);
    } else {
      ctx.close(promise);
    }
  }

  /** A stream of HTTP/2 has an end of its own. */
  private boolean endsWithChannel(ChannelHandlerContext ctx) {
    return answers.endWithChannel() && !(ctx.channel() instanceof Http2StreamChannel);
  }

  private boolean isCutOff() {
    return cutOff || watch.isAnyLost();
  }

  /** Ends the channel, in the middle of a response. */
  void cutOff(ChannelHandlerContext ctx) {
    if (!cutOff) {
      cutOff = true;
      exchange.cutOff(ctx);
    }
    if (endsWithChannel(ctx)) {
      watch.closeNow(); // Somebody who closes it first would end the response.
    } else {
      watch.closeSoon();
    }
  }
}
