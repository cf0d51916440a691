package dev.weir.server.http;

import dev.weir.streams.Payload;
import dev.weir.streams.protocol.JsonFlattener;
import dev.weir.streams.protocol.ProtocolException;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes a request's body in pieces, and makes a {@link Payload} of it: in memory while it is small
 * and the quota and the pool have room, in a spool file from then on. At most one piece is under
 * way at a time, so a body of any length takes a bounded amount of memory. For the connection's
 * event loop; writing to the spool happens on an I/O thread.
 */
final class BodyReceiver {
  private final Services services;
  private final BodySource source;
  private final @Nullable JsonFlattener json;
  private final Consumer<Payload> onComplete;
  private final Consumer<Throwable> onError;
  private final BodySpool spool;
  private final StagedBody staged;
  private long receivedBytes;
  private boolean ended;

  /**
   * Prepares for a body.
   *
   * @param source asked for each piece after the first
   * @param json flattens the body, null for bytes as they are
   * @param onComplete gets the payload, and owns it
   * @param onError gets a {@link ProtocolException} or the store's error; nothing is left behind
   */
  BodyReceiver(
      Services services,
      Exchange exchange,
      BodySource source,
      @Nullable JsonFlattener json,
      Consumer<Payload> onComplete,
      Consumer<Throwable> onError) {
    this.services = services;
    this.source = source;
    this.json = json;
    this.onComplete = onComplete;
    this.onError = onError;
    this.spool = new BodySpool(services, exchange, this::stepped);
    this.staged = new StagedBody(services.staging(), source, exchange::uploads);
  }

  static ProtocolException tooLong(long limitBytes) {
    return new ProtocolException(413, "the body is over the limit of " + limitBytes + " bytes");
  }

  long receivedBytes() {
    return receivedBytes;
  }

  /**
   * Takes a piece over, whatever comes of it. If it throws, the body has failed, and {@link #abort}
   * is still to be called.
   */
  void accept(ByteBuf piece, boolean last) {
    if (ended) {
      piece.release();
      return;
    }
    BodySpool.Step step = null;
    try {
      step = take(piece, last);
    } catch (ProtocolException e) {
      fail(e);
      return;
    } catch (RuntimeException | Error e) {
      abort();
      throw e;
    } finally {
      if (step == null) {
        piece.release();
      }
    }
    if (step == null) {
      proceed(last);
    } else {
      spool.begin(step);
    }
  }

  /** Adds a piece to the memory held for the body; otherwise says how it gets to the file. */
  private BodySpool.@Nullable Step take(ByteBuf piece, boolean last) throws ProtocolException {
    receivedBytes += piece.readableBytes();
    if (receivedBytes > services.limits().maxBodyBytes()) {
      throw tooLong(services.limits().maxBodyBytes());
    }
    boolean comma = json != null && flatten(json, piece, last);
    if (!spool.hasBegun() && staged.add(piece, comma, last)) {
      return null;
    }
    return spool.prepare(staged, piece, comma, last);
  }

  /** Flattens in place. Whether a comma has to follow the piece. */
  private static boolean flatten(JsonFlattener json, ByteBuf piece, boolean last)
      throws ProtocolException {
    int bytes = piece.readableBytes();
    if (bytes > 0) {
      ByteBuffer view = piece.nioBuffer(piece.readerIndex(), bytes);
      json.feed(view);
      piece.writerIndex(piece.readerIndex() + view.remaining());
    }
    return last && json.started() && json.finish();
  }

  private void proceed(boolean last) {
    if (!last) {
      source.readBody();
      return;
    }
    Payload payload = staged.toPayload();
    ended = true;
    onComplete.accept(payload);
  }

  private void stepped(BodySpool.Step step) {
    Throwable error = step.error();
    Payload payload = step.payload();
    if (error != null) {
      fail(error);
    } else if (payload != null) {
      ended = true;
      onComplete.accept(payload);
    } else if (!step.last()) {
      source.readBody();
    }
  }

  private void fail(Throwable cause) {
    abort();
    onError.accept(cause);
  }

  /** Leaves no trace of a body that will not be complete. */
  void abort() {
    ended = true;
    if (!spool.hasBegun()) {
      staged.release();
    }
    spool.abort();
  }
}
