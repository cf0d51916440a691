package dev.weir.netty.write;

import dev.weir.netty.loop.LoopTime;
import dev.weir.netty.refusal.MemoryRefusals;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.PendingWriteQueue;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.IllegalReferenceCountException;
import io.netty.util.ReferenceCountUtil;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;

/**
 * TLS behind whose losses nothing goes on: where there is no memory for a record, one to be sent or
 * one that came, the channel is closed at once, without a {@code close_notify}, and the failure
 * goes through its pipeline as an exception. Until then a peer has got a beginning of what was
 * written, and the handlers behind this one a beginning of what the peer has sent.
 *
 * <p>A peer that has TLS answer, by new keys each time it asks for some ({@code KeyUpdate}) or by
 * another handshake, is cut off as well: where it does not take the answers, each of which waits in
 * a buffer of the largest record, and where it goes on like that with nothing sent or received in
 * between for the handlers behind, which would know what is to be had from it.
 *
 * <p>What is written goes to the {@link SslHandler} with the next {@code flush()}, and not while
 * hands are shaken: neither before that has succeeded, nor while it is done once more (TLS 1.2),
 * with tasks of the engine on the event loop or in an executor of their own.
 */
public final class FailStopTls extends ChannelDuplexHandler {
  // SslHandler takes what it is to encrypt from its queue before it asks for the buffer of the
  // record, and drops it where that is refused. Where it was reading, it encrypts all that is
  // queued behind the loss before it closes, and no promise tells of the loss of a part of a
  // buffer. So it is given nothing that it could encrypt at another time than in a flush from
  // here; and what listeners of lost writes would write or close meanwhile waits for the end of it,
  // but for what comes behind a close.

  /**
   * Twice what another handshake sends at a time, and no peer has to ask for keys twice in a row.
   */
  private static final int MAX_UNSENT_RECORDS = 16;

  /** As BoringSSL has it for {@code KeyUpdate}, by itself. */
  private static final int MAX_RECORDS_IN_A_ROW = 32;

  /** What comes a minute later is not in a row with what came before. */
  private static final long MAX_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final SslHandler tls;
  private final Queue<ChannelPromise> closings = new ArrayDeque<>(1);
  private @SuppressWarnings("NullAway.Init") PendingWriteQueue unflushed;

  /** Sent by TLS itself since there was something for, or from, the handlers behind. */
  private int recordsInARow;

  private long lastRecordNanos;
  private boolean established;
  private boolean flushAsked;
  private boolean flushing;

  /** Whether a write is being refused behind a close: an exception that tells of it is no loss. */
  private boolean refusing;

  private boolean broken;

  private FailStopTls(SslHandler tls) {
    this.tls = tls;
  }

  /**
   * Adds TLS at the end of a pipeline, with what belongs around it: {@link UnbrokenStream#HANDLER}
   * in front, for records that the transport cannot take, and one of these behind.
   *
   * @param tls not one that sends its first message in the clear ({@code startTls})
   */
  public static void addTo(ChannelPipeline pipeline, SslHandler tls) {
    FailStopTls behind = new FailStopTls(tls);
    pipeline.addLast(UnbrokenStream.HANDLER, behind.new RecordsOfTls(), tls, behind);
  }

  /** In front of TLS: what that sends by itself, so not within a flush from behind. */
  private final class RecordsOfTls extends ChannelOutboundHandlerAdapter
      implements ChannelFutureListener {
    private int unsent;

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
      ChannelFuture written = ctx.write(message, promise);
      if (flushing || !established) {
        return; // However many records a first handshake takes.
      }
      long nowNanos = LoopTime.nanoTime(ctx.executor());
      if (nowNanos - lastRecordNanos > MAX_PAUSE_NANOS) {
        recordsInARow = 0;
      }
      lastRecordNanos = nowNanos;
      recordsInARow++;
      if (!written.isDone()) {
        unsent++;
        written.addListener(this);
      }
      if (unsent > MAX_UNSENT_RECORDS) {
        cutOff(ctx, unsent + " answers of TLS itself, as to KeyUpdate, wait for the peer");
      } else if (recordsInARow > MAX_RECORDS_IN_A_ROW) {
        cutOff(ctx, recordsInARow + " answers of TLS itself, as to KeyUpdate, in a row");
      }
    }

    private void cutOff(ChannelHandlerContext ctx, String reason) {
      if (!broken) {
        breakOff(ctx.pipeline());
        ctx.pipeline().fireExceptionCaught(new SSLException("closed: " + reason));
      }
    }

    @Override
    public void operationComplete(ChannelFuture written) {
      unsent--;
    }
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    unflushed = new PendingWriteQueue(ctx);
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (broken || !closings.isEmpty()) {
      refuse(message, promise);
      return;
    }
    int before = unflushed.size();
    try {
      unflushed.add(message, promise);
    } catch (Throwable failure) {
      // What follows would come behind a hole.
      breakOff(ctx.pipeline());
      if (unflushed.size() == before) {
        Unwritten.release(message); // Else it is in the queue, which ends with the channel.
      }
      ctx.fireExceptionCaught(failure);
      throw failure;
    }
  }

  /** What was flushed before the close goes still, though a void promise tells of an exception. */
  private void refuse(Object message, ChannelPromise promise) {
    Unwritten.release(message);
    boolean within = refusing;
    refusing = true;
    try {
      promise.tryFailure(new ClosedChannelException());
    } finally {
      refusing = within;
    }
  }

  @Override
  public void flush(ChannelHandlerContext ctx) {
    flushAsked |= closings.isEmpty();
    if (!established || flushing) {
      return;
    }
    flushing = true;
    try {
      while (flushAsked && !broken && !isShakingHands(ctx)) {
        flushAsked = false;
        for (int writes = unflushed.size(); writes > 0; writes--) {
          recordsInARow = 0;
          unflushed.removeAndWrite();
        }
        ctx.flush();
      }
    } catch (Throwable failure) {
      breakOff(ctx.pipeline());
      throw failure;
    } finally {
      flushing = false;
      for (ChannelPromise next = closings.poll(); next != null; next = closings.poll()) {
        ctx.close(next);
      }
    }
  }

  /** From in front of TLS: nothing more is to be encrypted, not even that this is the end. */
  private void breakOff(ChannelPipeline pipeline) {
    broken = true;
    ChannelHandlerContext encrypting = pipeline.context(tls);
    if (encrypting != null) {
      AbortiveClose.close(encrypting);
    }
  }

  /**
   * Whether SslHandler would keep what it is given, and encrypt it when the peer or a task of the
   * engine has answered: what is flushed then waits for the end of the read that brings that.
   */
  private boolean isShakingHands(ChannelHandlerContext ctx) {
    SSLEngine engine = tls.engine();
    HandshakeStatus status = engine.getHandshakeStatus();
    if (status == HandshakeStatus.NEED_WRAP) {
      // What TLS itself has to say goes first; but that of a task that has just ended goes later.
      ctx.flush();
      status = engine.getHandshakeStatus();
    }
    return status != HandshakeStatus.NOT_HANDSHAKING
        && !engine.isInboundDone()
        && !engine.isOutboundDone();
  }

  @Override
  public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
    if (flushing) {
      closings.add(promise);
    } else {
      ctx.close(promise);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (broken) {
      ReferenceCountUtil.release(message);
    } else {
      recordsInARow = 0;
      ctx.fireChannelRead(message);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    if (flushAsked) {
      flush(ctx);
    }
    ctx.fireChannelReadComplete();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (!(event instanceof SslHandshakeCompletionEvent handshake)) {
      ctx.fireUserEventTriggered(event);
      return;
    }
    established = handshake.isSuccess();
    ctx.fireUserEventTriggered(event);
    if (!established) {
      unflushed.removeAndFailAll(handshake.cause());
    } else if (flushAsked) {
      flush(ctx);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (!broken && ((flushing && !refusing) || mayHaveLost(cause))) {
      breakOff(ctx.pipeline());
    }
    ctx.fireExceptionCaught(explained(cause));
  }

  /** What SslHandler has not ended a session for by itself. */
  private static boolean mayHaveLost(Throwable cause) {
    return cause instanceof Error || isRefusal(cause) || cause.getCause() instanceof Error;
  }

  /**
   * A buffer that is too small for a record is given back by Netty before it asks for a larger one.
   * When it gets none, it gives the first one back again: what it says then is not what happened.
   */
  private static Throwable explained(Throwable cause) {
    if (!isRefusal(cause)) {
      return cause;
    }
    return MemoryRefusals.hidden("no room for a TLS record that came in parts", cause);
  }

  private static boolean isRefusal(Throwable cause) {
    return cause instanceof DecoderException
        && cause.getCause() instanceof IllegalReferenceCountException;
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    try {
      unflushed.removeAndFailAll(new ClosedChannelException());
    } finally {
      ctx.fireChannelInactive();
    }
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    unflushed.removeAndFailAll(new ClosedChannelException());
  }
}
