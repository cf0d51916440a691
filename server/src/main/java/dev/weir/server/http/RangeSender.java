package dev.weir.server.http;

import dev.weir.streams.RangeReader;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Carries a range of a stream from its files to a consumer on the event loop, a chunk at a time: a
 * chunk is read, on an I/O thread, only while the socket takes more. For the connection's event
 * loop.
 */
final class RangeSender {
  private final Exchange exchange;
  private final Executor io;
  private final RangeReader reader;
  private final int chunkBytes;
  private final ChunkConsumer onChunk;
  private final Runnable onEnd;
  private final Consumer<Throwable> onError;
  private boolean busy;
  private boolean reading;
  private boolean over;

  /** Takes each chunk over, writes it, and then runs {@code next}. */
  interface ChunkConsumer {
    void accept(ByteBuf chunk, Runnable next);
  }

  /**
   * Prepares to send.
   *
   * @param chunkBytes the most that is read at once
   * @param onEnd writes what follows the last chunk, and flushes
   */
  RangeSender(
      Exchange exchange,
      Executor io,
      RangeReader reader,
      int chunkBytes,
      ChunkConsumer onChunk,
      Runnable onEnd,
      Consumer<Throwable> onError) {
    this.exchange = exchange;
    this.io = io;
    this.reader = reader;
    this.chunkBytes = chunkBytes;
    this.onChunk = onChunk;
    this.onEnd = onEnd;
    this.onError = onError;
  }

  /** Goes on if it can: to be called first, and whenever the socket takes more. */
  void pump() {
    if (over || busy || !exchange.isWritable()) {
      return;
    }
    busy = true;
    int bytes = (int) Math.min(chunkBytes, reader.remaining());
    exchange.allocate(
        bytes,
        chunk -> {
          reading = true;
          try {
            io.execute(() -> read(chunk, bytes));
          } catch (RejectedExecutionException serverIsClosed) {
            reading = false;
            chunk.release();
            throw serverIsClosed;
          }
        });
  }

  /** On an I/O thread, which has the chunk and the reader until the loop hears of them. */
  private void read(ByteBuf chunk, int bytes) {
    Throwable error = fill(chunk, bytes);
    try {
      exchange.onLoop(() -> filled(chunk, error));
    } catch (RejectedExecutionException loopHasEnded) {
      chunk.release();
      closeNow();
    }
  }

  private @Nullable Throwable fill(ByteBuf chunk, int bytes) {
    try {
      reader.read(chunk.internalNioBuffer(0, bytes));
      chunk.writerIndex(bytes);
      return null;
    } catch (Throwable failure) {
      return failure;
    }
  }

  private void filled(ByteBuf chunk, @Nullable Throwable error) {
    reading = false;
    if (over || error != null) {
      chunk.release();
      boolean report = !over;
      over = true;
      closeReader();
      if (report && error != null) {
        onError.accept(error);
      }
      return;
    }
    boolean last = reader.remaining() == 0;
    if (last) {
      over = true;
      closeReader();
    }
    onChunk.accept(chunk, () -> written(last));
  }

  private void written(boolean last) {
    busy = false;
    if (last) {
      onEnd.run();
    } else {
      exchange.flush();
      pump();
    }
  }

  /** Stops; what is being read is dropped when it comes. */
  void close() {
    if (!over) {
      over = true;
      if (!reading) {
        closeReader();
      }
    }
  }

  private void closeReader() {
    try {
      io.execute(this::closeNow);
    } catch (RejectedExecutionException serverIsClosed) {
      closeNow();
    }
  }

  private void closeNow() {
    try {
      reader.close();
    } catch (IOException e) {
      System.getLogger(RangeSender.class.getName())
          .log(System.Logger.Level.DEBUG, "closing a file that was read", e);
    }
  }
}
