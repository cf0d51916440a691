package dev.weir.server.http;

import dev.weir.streams.Payload;
import dev.weir.streams.Spool;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A body's way to its spool file, one {@link Step} at a time. For the connection's event loop,
 * which must not begin a step before it has heard of the one before.
 *
 * <pre>
 *   prepare ──▶ begin ──▶ written on an I/O thread ──▶ heard of on the loop ──▶ onStep
 *                 │ no task can be begun                        ▲
 *                 └─────────────────────────────────────────────┘
 * </pre>
 */
final class BodySpool {
  private static final System.Logger LOG = System.getLogger(BodySpool.class.getName());

  private final Services services;
  private final Exchange exchange;
  private final Consumer<Step> onStep;
  private @Nullable Spool file;
  private boolean begun;
  private boolean busy;
  private boolean aborted;

  /**
   * Prepares for a body that may come.
   *
   * @param onStep hears of each step, unless {@link #abort} came first; owns the step's payload
   */
  BodySpool(Services services, Exchange exchange, Consumer<Step> onStep) {
    this.services = services;
    this.exchange = exchange;
    this.onStep = onStep;
  }

  /** Whether the body has gone to a file, what was staged of it included. */
  boolean hasBegun() {
    return begun;
  }

  /**
   * Takes over what is to be written; if it throws, nothing is taken.
   *
   * @param before comes first in the file; has no bytes any more when the file has begun
   * @param comma whether a comma follows the piece
   */
  Step prepare(StagedBody before, ByteBuf piece, boolean comma, boolean last) {
    Spool target = file;
    if (target == null) {
      target = services.store().spool();
    }
    Step step = new Step(target, before, piece, comma, last);
    file = target;
    begun = true;
    return step;
  }

  void begin(Step step) {
    busy = true;
    try {
      services.io().execute(step);
    } catch (RejectedExecutionException serverIsClosed) {
      step.cancel(serverIsClosed);
      heard(step);
    }
  }

  private void heard(Step step) {
    busy = false;
    if (aborted) {
      abortFile();
      return;
    }
    if (step.payload() != null) {
      file = null;
    }
    onStep.accept(step);
  }

  /** Leaves no trace of the body: at once, or when the step under way is over. */
  void abort() {
    aborted = true;
    if (!busy) {
      abortFile();
    }
  }

  /** Closing a file may block, so the loop does it only at the end of the server. */
  private void abortFile() {
    Spool target = file;
    file = null;
    if (target == null) {
      return;
    }
    try {
      services.io().execute(() -> abort(target));
    } catch (RejectedExecutionException serverIsClosed) {
      abort(target);
    }
  }

  private static void abort(Spool target) {
    try {
      target.abort();
    } catch (Throwable left) {
      // The next start deletes what this could not.
      LOG.log(System.Logger.Level.DEBUG, "a spool file stays until the next start", left);
    }
  }

  /**
   * One piece on its way to the file. While it is being written, it belongs to an I/O thread, with
   * the file.
   */
  final class Step implements Runnable {
    private final Spool target;
    private final StagedBody before;
    private final ByteBuf piece;
    private final boolean comma;
    private final boolean last;
    private @Nullable Payload payload;
    private @Nullable Throwable error;

    private Step(Spool target, StagedBody before, ByteBuf piece, boolean comma, boolean last) {
      this.target = target;
      this.before = before;
      this.piece = piece;
      this.comma = comma;
      this.last = last;
    }

    /** Why the piece is not in the file; null when it is. */
    @Nullable Throwable error() {
      return error;
    }

    /** The body, once the last piece is in the file. */
    @Nullable Payload payload() {
      return error == null ? payload : null;
    }

    boolean last() {
      return last;
    }

    /** On an I/O thread. */
    @Override
    public void run() {
      try {
        try {
          write();
        } finally {
          release();
        }
      } catch (Throwable failure) {
        error = failure;
      }
      try {
        exchange.onLoop(() -> heard(this));
      } catch (RejectedExecutionException loopHasEnded) {
        abort(target);
      }
    }

    /** Instead of {@link #run}. */
    private void cancel(Throwable cause) {
      error = cause;
      release();
    }

    private void write() throws IOException {
      ByteBuf staged = before.bytes();
      if (staged != null) {
        writeAll(staged);
      }
      writeAll(piece);
      if (comma) {
        target.write(ByteBuffer.wrap(new byte[] {','}));
      }
      if (last) {
        payload = target.finish();
      }
    }

    private void writeAll(ByteBuf content) throws IOException {
      for (ByteBuffer part : content.nioBuffers()) {
        if (part.hasRemaining()) {
          target.write(part);
        }
      }
    }

    private void release() {
      try {
        before.release();
      } finally {
        piece.release();
      }
    }
  }
}
