package dev.weir.server.http;

import dev.weir.streams.FileStretch;
import dev.weir.streams.RangeReader;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
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
  /** Less is not worth a look on another thread. */
  private static final long LEAST_FILE_BYTES = 128 << 10;

  /** What is verified and sent at once. */
  private static final long MAX_FILE_BYTES = 4 << 20;

  private final Exchange exchange;
  private final Executor io;
  private final RangeReader reader;
  private final int chunkBytes;
  private final ChunkConsumer onChunk;
  private final Runnable onEnd;
  private final Consumer<Throwable> onError;
  private Runnable onFirstFile = () -> {};
  private boolean sendsFiles;
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

  /**
   * Lets parts of files be sent as they are, where the exchange can.
   *
   * @param onFirst comes before each of them
   */
  void sendFiles(Runnable onFirst) {
    onFirstFile = onFirst;
    sendsFiles = exchange.sendsFiles();
  }

  /** Goes on if it can: to be called first, and whenever the socket takes more. */
  void pump() {
    if (over || busy || !exchange.isWritable()) {
      return;
    }
    busy = true;
    if (sendsFiles && reader.remaining() >= LEAST_FILE_BYTES) {
      reading = true;
      try {
        io.execute(this::look);
      } catch (RejectedExecutionException serverIsClosed) {
        reading = false;
        throw serverIsClosed;
      }
    } else {
      pumpChunk();
    }
  }

  private void pumpChunk() {
    int bytes = (int) Math.min(chunkBytes, reader.remaining());
    exchange.allocate(
        bytes,
        chunk -> {
          boolean isFilled = fillFromMemory(chunk, bytes);
          reading = true;
          if (isFilled) {
            // A task of its own: a write that fails is heard of before the next.
            handOver(chunk, null);
            return;
          }
          try {
            io.execute(() -> read(chunk, bytes));
          } catch (RejectedExecutionException serverIsClosed) {
            reading = false;
            chunk.release();
            throw serverIsClosed;
          }
        });
  }

  /** On an I/O thread, which has the reader until the loop hears of it. */
  private void look() {
    FileStretch stretch = null;
    Throwable error = null;
    try {
      stretch = reader.nextInFile(MAX_FILE_BYTES);
    } catch (Throwable failure) {
      error = failure;
    }
    FileStretch found = stretch;
    Throwable reason = error;
    try {
      exchange.onLoop(() -> looked(found, reason));
    } catch (RejectedExecutionException loopHasEnded) {
      closeNow();
    }
  }

  private void looked(@Nullable FileStretch stretch, @Nullable Throwable error) {
    reading = false;
    if (over || error != null) {
      fail(error);
    } else if (stretch == null) {
      // The rest is not in a file that is complete: it comes in chunks.
      sendsFiles = false;
      pumpChunk();
    } else {
      onFirstFile.run();
      boolean last = reader.remaining() == 0;
      exchange.sendFile(
          stretch,
          () -> {
            if (last) {
              over = true;
              closeReader();
            }
            written(last);
          });
    }
  }

  /** What is in memory needs no I/O thread; it may be less than there is room for. */
  private boolean fillFromMemory(ByteBuf chunk, int bytes) {
    boolean kept = false;
    try {
      ByteBuffer target = chunk.internalNioBuffer(0, bytes);
      int start = target.position();
      boolean found = reader.readCached(target);
      chunk.writerIndex(target.position() - start);
      kept = true;
      return found;
    } finally {
      if (!kept) {
        chunk.release();
      }
    }
  }

  /** On an I/O thread, which has the chunk and the reader until the loop hears of them. */
  private void read(ByteBuf chunk, int bytes) {
    handOver(chunk, fill(chunk, bytes));
  }

  private void handOver(ByteBuf chunk, @Nullable Throwable error) {
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
      fail(error);
      return;
    }
    boolean last = reader.remaining() == 0;
    if (last) {
      over = true;
      closeReader();
    }
    onChunk.accept(chunk, () -> written(last));
  }

  private void fail(@Nullable Throwable error) {
    boolean report = !over;
    over = true;
    closeReader();
    if (report && error != null) {
      onError.accept(error);
    }
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
    if (!reader.isOpen()) {
      return;
    }
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
