package dev.weir.replication.send;

import dev.weir.memory.budget.BudgetExceededError;
import dev.weir.replication.net.RateLimit;
import dev.weir.replication.source.Slices.Slice;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.LastHttpContent;
import java.io.EOFException;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends a body from files: whole files by regions that the kernel copies, or pooled pieces of them
 * where something has to encrypt them. Files are opened when it is their turn. For the connection's
 * event loop.
 */
public final class BodySender {
  /** What is read and queued at once where something encrypts. */
  public static final int PIECE_BYTES = 256 << 10;

  /** Linux takes at most 2 GiB at once; and what a region covers is promised to be there. */
  private static final long MOST_REGION_BYTES = 1L << 30;

  /** With a rate the socket must not run ahead of it by more than this. */
  private static final int MOST_RATED_BYTES = 1 << 20;

  /** Small files go out together. */
  private static final int MOST_PENDING = 16;

  /** Hears how the body ended, once. */
  public interface End {
    /** With null, all of it is with the system. */
    void ended(@Nullable Throwable failure);
  }

  private final ChannelHandlerContext ctx;
  private final BodySource source;
  private final boolean zeroCopy;
  private final RateLimit rate;
  private final LongConsumer onSent;
  private final End end;
  private @Nullable OpenSlice current;
  private int pending;
  private boolean pumping;
  private boolean waiting;
  private boolean lastWritten;
  private boolean over;

  /**
   * Has not begun.
   *
   * @param source closed at the end
   * @param zeroCopy whether nothing encrypts
   * @param onSent hears of bytes that the system has taken
   */
  public BodySender(
      ChannelHandlerContext ctx,
      BodySource source,
      boolean zeroCopy,
      RateLimit rate,
      LongConsumer onSent,
      End end) {
    this.ctx = ctx;
    this.source = source;
    this.zeroCopy = zeroCopy;
    this.rate = rate;
    this.onSent = onSent;
    this.end = end;
  }

  /** Opens what comes first: what fails here fails before the answer has begun. */
  public void open() throws IOException {
    current = nextSlice();
  }

  /** Whether it waits for its rate, and not for the peer. */
  public boolean isWaiting() {
    return waiting && pending == 0;
  }

  /** Goes on if it can: to be called first, and whenever the socket takes more. */
  public void pump() {
    if (pumping || over) {
      return;
    }
    pumping = true;
    try {
      while (!over && !waiting && !lastWritten && pending < MOST_PENDING && isWritable()) {
        writeNext();
      }
      ctx.flush();
    } catch (IOException | BudgetExceededError e) {
      stop(e);
    } finally {
      pumping = false;
    }
  }

  private boolean isWritable() {
    return ctx.channel().isWritable();
  }

  private void writeNext() throws IOException {
    OpenSlice slice = current;
    if (slice == null) {
      lastWritten = true;
      ctx.write(LastHttpContent.EMPTY_LAST_CONTENT)
          .addListener((ChannelFutureListener) written -> stop(written.cause()));
      return;
    }
    long most = zeroCopy ? MOST_REGION_BYTES : PIECE_BYTES;
    long bytes =
        Math.min(slice.remaining(), rate.isSet() ? Math.min(most, MOST_RATED_BYTES) : most);
    Object message = zeroCopy ? slice.region(bytes) : piece(slice, (int) bytes);
    pending++;
    ctx.write(message).addListener((ChannelFutureListener) written -> written(written, bytes));
    if (slice.remaining() == 0) {
      current = null;
      slice.release();
      current = nextSlice();
    }
    long waitNanos = rate.take(bytes, System.nanoTime());
    if (waitNanos > 0) {
      waiting = true;
      ctx.executor().schedule(this::goOn, waitNanos, TimeUnit.NANOSECONDS);
    }
  }

  private void goOn() {
    waiting = false;
    pump();
  }

  private DefaultHttpContent piece(OpenSlice slice, int bytes) throws IOException {
    ByteBuf piece = ctx.alloc().directBuffer(bytes);
    try {
      while (piece.readableBytes() < bytes) {
        int count =
            piece.writeBytes(
                slice.slice().file(),
                slice.position() + piece.readableBytes(),
                bytes - piece.readableBytes());
        if (count < 0) {
          throw new EOFException("the file '%s' has shrunk".formatted(slice.slice().path()));
        }
      }
    } catch (Throwable e) {
      piece.release();
      throw e;
    }
    slice.advance(bytes);
    return new DefaultHttpContent(piece);
  }

  private @Nullable OpenSlice nextSlice() throws IOException {
    Slice next = source.next();
    return next == null ? null : new OpenSlice(next);
  }

  private void written(ChannelFuture written, long bytes) {
    pending--;
    if (written.isSuccess()) {
      onSent.accept(bytes);
      pump();
    } else {
      stop(written.cause());
    }
  }

  /** Ends, and gives back what is open. */
  public void stop(@Nullable Throwable failure) {
    if (over) {
      return;
    }
    over = true;
    if (current != null) {
      current.release();
      current = null;
    }
    try {
      source.close();
    } catch (IOException e) {
      System.getLogger(BodySender.class.getName())
          .log(System.Logger.Level.DEBUG, "closing what was sent", e);
    }
    end.ended(failure);
  }
}
