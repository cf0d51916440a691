package dev.weir.compression.http;

import dev.weir.compression.Compression;
import dev.weir.netty.log.FailureLog;
import dev.weir.netty.loop.EventLoops;
import dev.weir.netty.write.Unwritten;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.lang.System.Logger.Level;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Compresses responses as clients accept it (RFC 9110, section 12.5.3). Goes behind an {@code
 * HttpServerCodec} or whatever else has requests come and responses go as Netty's HTTP objects; one
 * instance per channel.
 *
 * <p>A response is one frame, in buffers of bounded length, from direct memory to direct memory, on
 * the channel's allocator unless another is given. It is cut where the application flushes the
 * channel, so that the client can read all so far, and nowhere else; where the channel is not
 * writable, once it is. What goes on with one message is one message, whatever its length. A
 * response that comes whole keeps a {@code Content-Length}, any other is sent in chunks. Both get
 * {@code Vary}, and a weak {@code ETag}.
 *
 * <p>A response to {@code HEAD}, and a {@code 304}, say what the compressed response would: of the
 * latter the client's own entity tag tells, where the application's are strong, whether that was
 * compressed.
 *
 * <p>Left as they are: responses without content, of a part, encoded already (be it for the
 * transfer), marked {@code no-transform}, short, or of a type that is not worth it; those whose
 * first bytes look compressed; and, while memory is short, those that the client takes
 * uncompressed. A client that takes nothing there is gets {@code 406}, one that takes nothing but
 * what memory is short for {@code 503}: in the place of a success, and where nothing was done for
 * it. A response to {@code POST}, say, goes as it is, which RFC 9110 (section 12.5.3) leaves open:
 * the client would repeat what has been done.
 *
 * <p>What is written is released on every path. When the channel closes, the handler is removed or
 * an encoder fails, the memory of the encoder is given back at once; a response that has begun and
 * cannot be continued closes the connection, and its reason is logged: one with a piece that could
 * not be written, one of another length than its {@code Content-Length} said, and one whose head
 * was flushed before a message that is no content, a file, say. A file before that goes
 * uncompressed, and is {@code 503} to a client that takes nothing uncompressed.
 *
 * <p>It has to see every request of its channel, or takes one client's wishes for another's: add it
 * before the first arrives, without an {@code EventExecutorGroup}. What is written within a write,
 * say as the channel becomes full, comes behind what is being written.
 */
public final class HttpResponseCompressor extends ChannelDuplexHandler {
  /** Tells what has kept responses from being compressed. */
  static final FailureLog UNCOMPRESSED = new FailureLog(HttpResponseCompressor.class);

  private static final System.Logger LOG =
      System.getLogger(HttpResponseCompressor.class.getPackageName());

  private final WaitingRequests waiting = new WaitingRequests();
  private final OutgoingResponse response;
  private boolean closed;

  /** Whether a response could not be continued: nothing is written any more. */
  private boolean failed;

  /** Whether a message is on its way: what is flushed now comes behind it. */
  private boolean writing;

  private boolean flushWanted;

  /** What is written within a write, say as the channel becomes full: it comes behind that. */
  private final ArrayDeque<Within> within = new ArrayDeque<>();

  private record Within(Object message, ChannelPromise promise) {}

  /** Whether the client is to get all so far as soon as the channel is writable. */
  private boolean cutWanted;

  /** Compresses with the defaults of {@link ResponseOptions}. */
  public HttpResponseCompressor(Compression compression) {
    this(compression, ResponseOptions.DEFAULT);
  }

  /** Compresses what {@code options} say. */
  public HttpResponseCompressor(Compression compression, ResponseOptions options) {
    this(compression, options, /* allocator= */ null);
  }

  /**
   * The same, into buffers of another allocator than the channel's, say one that charges responses.
   *
   * @param allocator asked on the channel's event loop, for each response that is compressed; null
   *     for the channel's
   */
  public HttpResponseCompressor(
      Compression compression,
      ResponseOptions options,
      @Nullable Supplier<ByteBufAllocator> allocator) {
    ContentEncoders encoders = new ContentEncoders(compression, options.chunkBytes(), allocator);
    this.response = new OutgoingResponse(encoders, options, this::pieceWritten);
  }

  /**
   * As a handler is added. With an {@code EventExecutorGroup} it is taken out again, and its
   * pipeline hears why by {@code exceptionCaught}.
   */
  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    EventLoops.requireOwn(ctx);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof HttpRequest request && !failed && !waiting.tryAdd(request)) {
      ReferenceCountUtil.release(message);
      fail(ctx, new IllegalStateException("too many requests wait for their responses"));
      return;
    }
    ctx.fireChannelRead(message);
  }

  // What the application writes.

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (writing) {
      within.add(new Within(message, promise));
      return;
    }
    writeNow(ctx, message, promise);
    writeWithin(ctx);
    if (flushWanted) {
      flush(ctx);
    }
  }

  private void writeWithin(ChannelHandlerContext ctx) {
    for (Within next = within.poll(); next != null; next = within.poll()) {
      writeNow(ctx, next.message, next.promise);
    }
  }

  private void writeNow(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (closed || !ContentEncoders.isAlive(ctx)) {
      ctx.write(message, promise); // The channel releases it, and fails the promise.
      return;
    }
    if (failed) {
      Unwritten.release(message);
      promise.tryFailure(new ClosedChannelException());
      return;
    }
    writing = true;
    try {
      if (message instanceof HttpResponse head) {
        response.begin(ctx, head, waiting, promise);
      } else if (message instanceof HttpContent content) {
        response.add(ctx, content, promise);
      } else if (message instanceof ByteBuf bytes && response.takesBytes()) {
        response.add(ctx, Contents.of(bytes), promise);
      } else {
        response.addOther(ctx, message, promise);
      }
    } catch (Throwable failure) {
      promise.tryFailure(failure);
      fail(ctx, failure);
    } finally {
      writing = false;
    }
  }

  /**
   * Netty tells within a write that the channel is no longer writable, and an application may flush
   * then: the end of what is being written comes first. What an encoder gives at a flush waits for
   * room, as the application would: bounds on what is queued count it as a message of its own.
   */
  @Override
  public void flush(ChannelHandlerContext ctx) {
    if (writing) {
      flushWanted = true;
      return;
    }
    do {
      flushWanted = false;
      cutWanted = false;
      flushNow(ctx);
    } while (flushWanted);
  }

  private void flushNow(ChannelHandlerContext ctx) {
    if (!ContentEncoders.isAlive(ctx)) {
      ctx.flush();
      return;
    }
    if (response.isHeld()) {
      writeOfFlush(ctx, () -> response.decide(ctx));
    }
    if (response.isCutPossible() && !ctx.channel().isWritable()) {
      ctx.flush();
    }
    if (response.isCutPossible()) {
      cutWanted = !ctx.channel().isWritable();
      if (!cutWanted) {
        writeOfFlush(ctx, () -> cut(ctx));
      }
    }
    ctx.flush();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (cutWanted && ctx.channel().isWritable()) {
      if (response.isCutPossible()) {
        flush(ctx);
      } else {
        // Its end has come meanwhile: nobody has asked for what waits behind it.
        cutWanted = false;
        ctx.flush();
      }
    }
    ctx.fireChannelWritabilityChanged();
  }

  private void writeOfFlush(ChannelHandlerContext ctx, Runnable step) {
    flushWanted = false; // That comes now.
    writing = true;
    try {
      step.run();
    } catch (Throwable failure) {
      failUntold(ctx, failure);
    } finally {
      writing = false;
    }
    // What is flushed within is about to be, unless an encoder has got more of it meanwhile.
    flushWanted &= !within.isEmpty();
    writeWithin(ctx);
  }

  private void cut(ChannelHandlerContext ctx) {
    ByteBuf output = response.cut();
    if (output.isReadable()) {
      ctx.write(Contents.of(output))
          .addListener(written -> {
            if (isMissed(ctx, written)) {
              failUntold(ctx, written.cause());
            }
          });
    }
  }

  /** The application is told by its promise; what it had written before may be missing too. */
  private void pieceWritten(ChannelFuture written) {
    ChannelHandlerContext ctx =
        written.isSuccess() ? null : written.channel().pipeline().context(this);
    if (ctx != null && isMissed(ctx, written)) {
      fail(ctx, written.cause());
    }
  }

  /** A response with a piece missing must not go on. */
  private boolean isMissed(ChannelHandlerContext ctx, Future<?> written) {
    return !written.isSuccess() && !closed && !failed && ContentEncoders.isAlive(ctx);
  }

  /** Fails where no promise tells the application of it. */
  private void failUntold(ChannelHandlerContext ctx, Throwable failure) {
    fail(ctx, failure);
    ctx.fireExceptionCaught(failure);
  }

  // The end.

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    closed = true;
    drop();
    ctx.fireChannelInactive();
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    boolean cutOff = response.isReplaced() && ctx.channel().isActive();
    if (ctx.channel().isActive()) {
      response.passHeld(ctx);
    }
    closed = true;
    drop();
    if (cutOff) {
      LOG.log(Level.WARNING, "closed: the compressor was removed in the middle of a response");
      // An answer in the response's place is whole.
      ctx.flush();
      ctx.close();
    }
  }

  private void fail(ChannelHandlerContext ctx, Throwable failure) {
    failed = true;
    drop();
    try {
      LOG.log(
          Level.WARNING,
          "{0} is closed: a response cannot be continued: {1}",
          ctx.channel(),
          failure);
      LOG.log(Level.DEBUG, "where that was", failure);
    } finally {
      ctx.close();
    }
  }

  /** Throws nothing: a channel is to be closed after this, or others are to hear of it. */
  private void drop() {
    waiting.clear();
    try {
      response.drop();
    } catch (Throwable notGivenBack) {
      UNCOMPRESSED.report("the encoder of a response is not given back", notGivenBack);
    }
  }
}
