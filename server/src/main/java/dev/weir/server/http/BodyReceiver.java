package dev.weir.server.http;

import dev.weir.server.protocol.JsonFlattener;
import dev.weir.server.protocol.ProtocolException;
import dev.weir.server.store.Payload;
import dev.weir.server.store.Spool;
import dev.weir.server.store.StreamStore;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes a request's body in pieces, and makes a {@link Payload} of it: in memory while it is small
 * and the quota and the pool have room, in a spool file from then on. At most one piece is under
 * way at a time, so a body of any length takes a bounded amount of memory. For the connection's
 * event loop; writing to the spool happens on an I/O thread.
 */
final class BodyReceiver {
  private static final int FIRST_BYTES = 8 << 10;

  private final Services services;
  private final Exchange exchange;
  private final @Nullable JsonFlattener json;
  private final Consumer<Payload> onComplete;
  private final Consumer<Throwable> onError;
  private long receivedBytes;
  private @Nullable ByteBuf staged;
  private long quotaBytes;
  private @Nullable Spool spool;
  private boolean spoolBusy;
  private boolean ended;

  /**
   * Prepares for a body.
   *
   * @param json flattens the body, null for bytes as they are
   * @param onComplete gets the payload, and owns it
   * @param onError gets a {@link ProtocolException} or the store's error; nothing is left behind
   */
  BodyReceiver(
      Services services,
      Exchange exchange,
      @Nullable JsonFlattener json,
      Consumer<Payload> onComplete,
      Consumer<Throwable> onError) {
    this.services = services;
    this.exchange = exchange;
    this.json = json;
    this.onComplete = onComplete;
    this.onError = onError;
  }

  static ProtocolException tooLong(long limitBytes) {
    return new ProtocolException(413, "the body is over the limit of " + limitBytes + " bytes");
  }

  long receivedBytes() {
    return receivedBytes;
  }

  /** Takes a piece over. */
  void accept(ByteBuf piece, boolean last) {
    if (ended) {
      piece.release();
      return;
    }
    receivedBytes += piece.readableBytes();
    ByteBuf content = piece;
    try {
      if (receivedBytes > services.limits().maxBodyBytes()) {
        throw tooLong(services.limits().maxBodyBytes());
      }
      if (json != null) {
        content = flatten(json, piece, last);
      }
    } catch (ProtocolException e) {
      content.release();
      fail(e);
      return;
    }
    if (spool == null && stage(content, last)) {
      content.release();
      proceed(last);
    } else {
      spoolLater(content, last);
    }
  }

  private void proceed(boolean last) {
    if (!last) {
      exchange.readBody();
      return;
    }
    ended = true;
    ByteBuf body = staged;
    staged = null;
    if (body == null) {
      onComplete.accept(new Payload.None());
      return;
    }
    long held = quotaBytes;
    quotaBytes = 0;
    onComplete.accept(
        new Payload.Inline(
            body.nioBuffer(),
            () -> {
              body.release();
              services.staging().release(held);
            }));
  }

  private static ByteBuf flatten(JsonFlattener json, ByteBuf piece, boolean last)
      throws ProtocolException {
    int bytes = piece.readableBytes();
    if (bytes > 0) {
      ByteBuffer view = piece.nioBuffer(piece.readerIndex(), bytes);
      json.feed(view);
      piece.writerIndex(piece.readerIndex() + view.remaining());
    }
    boolean comma = last && json.started() && json.finish();
    return comma ? Unpooled.wrappedBuffer(piece, Unpooled.wrappedBuffer(new byte[] {','})) : piece;
  }

  /** Adds to the memory held for the body; false when it has to go to a file. */
  private boolean stage(ByteBuf content, boolean last) {
    int more = content.readableBytes();
    if (more == 0) {
      return true;
    }
    ByteBuf target = staged;
    long needed = (target == null ? 0 : target.readableBytes()) + (long) more;
    if (needed > StreamStore.MAX_INLINE_BYTES) {
      return false;
    }
    if (target == null) {
      long announced =
          Math.clamp(
              exchange.contentLength() + 1,
              last ? more : FIRST_BYTES,
              StreamStore.MAX_INLINE_BYTES);
      int capacity = (int) Math.max(last ? more : announced, more);
      if (exchange.contentLength() > StreamStore.MAX_INLINE_BYTES || !acquire(capacity)) {
        return false;
      }
      try {
        target = exchange.uploads().directBuffer(capacity, StreamStore.MAX_INLINE_BYTES);
      } catch (OutOfMemoryError noRoom) {
        return false;
      }
      staged = target;
    } else if (needed > quotaBytes) {
      long capacity = Math.min(StreamStore.MAX_INLINE_BYTES, Math.max(needed, quotaBytes * 2));
      if (!acquire(capacity - quotaBytes)) {
        return false;
      }
      try {
        target.capacity((int) capacity);
      } catch (OutOfMemoryError noRoom) {
        return false;
      }
    }
    target.writeBytes(content, content.readerIndex(), more);
    return true;
  }

  private boolean acquire(long bytes) {
    if (!services.staging().tryAcquire(bytes)) {
      return false;
    }
    quotaBytes += bytes;
    return true;
  }

  private void spoolLater(ByteBuf content, boolean last) {
    Spool target = spool;
    if (target == null) {
      target = services.store().spool();
      spool = target;
    }
    Spool file = target;
    ByteBuf before = staged;
    long held = quotaBytes;
    staged = null;
    quotaBytes = 0;
    spoolBusy = true;
    try {
      services.io().execute(() -> spool(file, before, content, held, last));
    } catch (Throwable notBegun) {
      spoolBusy = false;
      if (before != null) {
        before.release();
      }
      content.release();
      services.staging().release(held);
      fail(notBegun);
    }
  }

  /** On an I/O thread, which has the piece and the file until the loop hears of them. */
  private void spool(
      Spool file, @Nullable ByteBuf before, ByteBuf content, long held, boolean last) {
    SpoolStep step = SpoolStep.run(file, before, content, last);
    services.staging().release(held);
    try {
      exchange.onLoop(() -> stepped(step, last));
    } catch (Throwable unheard) {
      Payload payload = step.payload();
      if (payload == null) {
        file.abort();
      } else {
        payload.release();
      }
      exchange.abortFromElsewhere(unheard);
    }
  }

  /** What became of one piece on its way to the file. */
  private record SpoolStep(@Nullable Payload payload, @Nullable Throwable error) {
    static SpoolStep run(Spool file, @Nullable ByteBuf before, ByteBuf content, boolean last) {
      try {
        if (before != null) {
          writeAll(file, before);
        }
        writeAll(file, content);
        return new SpoolStep(last ? file.finish() : null, null);
      } catch (Throwable failure) {
        return new SpoolStep(null, failure);
      } finally {
        if (before != null) {
          before.release();
        }
        content.release();
      }
    }

    private static void writeAll(Spool file, ByteBuf content) throws IOException {
      for (ByteBuffer part : content.nioBuffers()) {
        if (part.hasRemaining()) {
          file.write(part);
        }
      }
    }
  }

  private void stepped(SpoolStep step, boolean last) {
    spoolBusy = false;
    if (ended) {
      abortSpool();
      return;
    }
    Throwable error = step.error();
    Payload payload = step.payload();
    if (error != null) {
      fail(error);
    } else if (payload != null) {
      ended = true;
      spool = null;
      onComplete.accept(payload);
    } else if (!last) {
      exchange.readBody();
    }
  }

  private void fail(Throwable cause) {
    abort();
    onError.accept(cause);
  }

  /** Leaves no trace of a body that will not be complete. */
  void abort() {
    ended = true;
    ByteBuf body = staged;
    staged = null;
    if (body != null) {
      body.release();
    }
    services.staging().release(quotaBytes);
    quotaBytes = 0;
    if (!spoolBusy) {
      abortSpool();
    }
  }

  private void abortSpool() {
    Spool file = spool;
    spool = null;
    if (file != null) {
      try {
        services.io().execute(file::abort);
      } catch (RejectedExecutionException | OutOfMemoryError nobodyElse) {
        file.abort();
      }
    }
  }
}
