package dev.weir.server.http;

import dev.weir.streams.FileStretch;
import dev.weir.streams.RangeReader;
import io.netty.buffer.ByteBuf;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.FileRegion;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Carries a range of a stream from its files to a consumer on the event loop, a chunk at a time: a
 * chunk is read, on an I/O thread, only while the socket takes more. Of what is sent as a part of a
 * file the next one is looked for ahead. For the connection's event loop.
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
  private boolean sending;
  private boolean reading;
  private boolean over;
  private @Nullable FileRegion ahead;
  private @Nullable Throwable failure;

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
    if (over || sending || reading || !exchange.isWritable()) {
      return;
    }
    FileRegion found = ahead;
    if (failure != null) {
      fail(failure);
    } else if (found != null) {
      send(found);
    } else if (isNextInFile()) {
      startLook();
    } else {
      sending = true;
      pumpChunk();
    }
  }

  private boolean isNextInFile() {
    return sendsFiles && reader.remaining() >= LEAST_FILE_BYTES;
  }

  private void startLook() {
    reading = true;
    try {
      io.execute(this::look);
    } catch (RejectedExecutionException serverIsClosed) {
      reading = false;
      throw serverIsClosed;
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
    DefaultFileRegion region = null;
    Throwable error = null;
    try {
      FileStretch stretch = reader.nextInFile(MAX_FILE_BYTES);
      if (stretch != null) {
        region = new DefaultFileRegion(stretch.file(), stretch.position(), stretch.lengthBytes());
      }
    } catch (Throwable failed) {
      error = failed;
    }
    DefaultFileRegion found = region;
    Throwable reason = error;
    try {
      exchange.onLoop(() -> looked(found, reason));
    } catch (RejectedExecutionException loopHasEnded) {
      ReferenceCountUtil.release(found);
      closeNow();
    }
  }

  private void looked(@Nullable FileRegion region, @Nullable Throwable error) {
    reading = false;
    if (over || error != null) {
      ReferenceCountUtil.release(region);
      failure = error;
      if (over) {
        closeReader();
        return;
      }
    } else if (region == null) {
      // Small appends lie apart in the WAL: the rest comes in chunks.
      sendsFiles = false;
    } else {
      ahead = region;
    }
    pump();
  }

  /** What comes next is looked for, and verified, while the socket takes this. */
  private void send(FileRegion region) {
    boolean last = reader.remaining() == 0;
    sending = true;
    onFirstFile.run();
    if (isNextInFile()) {
      startLook();
    }
    ahead = null;
    exchange.sendFile(
        region,
        () -> {
          if (last) {
            over = true;
            closeReader();
          }
          written(last);
        });
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
    dropAhead();
    closeReader();
    if (report && error != null) {
      onError.accept(error);
    }
  }

  private void written(boolean last) {
    sending = false;
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
      dropAhead();
      if (!reading) {
        closeReader();
      }
    }
  }

  private void dropAhead() {
    FileRegion unsent = ahead;
    ahead = null;
    ReferenceCountUtil.release(unsent);
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
