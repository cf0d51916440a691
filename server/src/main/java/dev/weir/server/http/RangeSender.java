package dev.weir.server.http;

import dev.weir.server.store.RangeReader;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.concurrent.Executor;
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
  private final Consumer<ByteBuf> onChunk;
  private final Runnable onEnd;
  private final Consumer<Throwable> onError;
  private boolean reading;
  private boolean over;

  /**
   * Prepares to send.
   *
   * @param chunkBytes the most that is read at once
   * @param onChunk takes each chunk over, and writes it
   * @param onEnd writes what follows the last chunk, and flushes
   */
  RangeSender(
      Exchange exchange,
      Executor io,
      RangeReader reader,
      int chunkBytes,
      Consumer<ByteBuf> onChunk,
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
    if (over || reading || !exchange.isWritable()) {
      return;
    }
    reading = true;
    int bytes = (int) Math.min(chunkBytes, reader.remaining());
    ByteBuf chunk = exchange.allocator().directBuffer(bytes, bytes);
    io.execute(() -> {
      IOException error = fill(chunk, bytes);
      exchange.onLoop(() -> filled(chunk, error));
    });
  }

  private @Nullable IOException fill(ByteBuf chunk, int bytes) {
    try {
      reader.read(chunk.internalNioBuffer(0, bytes));
      chunk.writerIndex(bytes);
      return null;
    } catch (IOException e) {
      return e;
    }
  }

  private void filled(ByteBuf chunk, @Nullable IOException error) {
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
    onChunk.accept(chunk);
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
    io.execute(() -> {
      try {
        reader.close();
      } catch (IOException e) {
        System.getLogger(RangeSender.class.getName())
            .log(System.Logger.Level.DEBUG, "closing a file that was read", e);
      }
    });
  }
}
