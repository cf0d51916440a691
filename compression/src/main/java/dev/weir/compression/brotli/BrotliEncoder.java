package dev.weir.compression.brotli;

import com.aayushatharva.brotli4j.encoder.Encoder.Mode;
import com.aayushatharva.brotli4j.encoder.EncoderJNI;
import com.aayushatharva.brotli4j.encoder.EncoderJNI.Operation;
import dev.weir.compression.codec.CodecException;
import dev.weir.compression.codec.DirectBuffers;
import dev.weir.compression.codec.Encoder;
import dev.weir.compression.codec.Step;
import dev.weir.compression.context.ContextMemory;
import dev.weir.compression.context.LibraryMemory;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Compresses one stream with brotli4j. */
final class BrotliEncoder implements Encoder {
  /** 256 KiB: what JSON of a response has use for. */
  private static final int WINDOW_LOG = 18;

  private static final int INPUT_BYTES = 16 << 10;

  /**
   * How much the library takes in before it has to give out what comes of it. By itself it takes
   * twice the window, and gives all of that at once, however slowly it is taken from the channel.
   */
  private static final int MAX_HELD_BYTES = 64 << 10;

  /** The window twice, and hash tables, commands and blocks of the qualities that are allowed. */
  static final long NATIVE_BYTES = (4L << WINDOW_LOG) + (4L << 20);

  private final EncoderJNI.Wrapper wrapper;
  private final Cleaner.Cleanable release;
  private @Nullable ByteBuffer output;
  private @Nullable Step begun;
  private int heldBytes;
  private boolean closed;

  private BrotliEncoder(LibraryMemory<EncoderJNI.Wrapper> memory) {
    this.wrapper = memory.handle();
    this.release = memory.releaseWith(this);
  }

  static @Nullable BrotliEncoder tryCreate(int quality, ContextMemory memory) {
    try {
      return LibraryMemory.tryMake(
          memory,
          NATIVE_BYTES,
          () -> new EncoderJNI.Wrapper(INPUT_BYTES, quality, WINDOW_LOG, Mode.GENERIC),
          EncoderJNI.Wrapper::destroy,
          BrotliEncoder::new);
    } catch (IOException e) {
      throw new CodecException("brotli", e);
    }
  }

  @Override
  public boolean encode(ByteBuf source, ByteBuf target, Step step) {
    DirectBuffers.require(source);
    DirectBuffers.require(target);
    if (closed) {
      throw new IllegalStateException("the encoder has been closed");
    }
    try {
      while (true) {
        if (!writeOutput(target)) {
          return false;
        }
        if (!wrapper.isSuccess()) {
          throw new CodecException("brotli: the encoder failed");
        } else if (wrapper.hasMoreOutput()) {
          output = wrapper.pull();
        } else if (wrapper.hasRemainingInput()) {
          wrapper.push(begun == null ? Operation.PROCESS : operation(begun), 0);
        } else if (heldBytes >= MAX_HELD_BYTES) {
          heldBytes = 0;
          wrapper.push(Operation.FLUSH, 0);
        } else if (source.isReadable()) {
          push(source);
        } else if (step != Step.TAKE && begun != step) {
          begun = step;
          wrapper.push(operation(step), 0);
        } else {
          begun = null;
          return true;
        }
      }
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  private void push(ByteBuf source) {
    ByteBuffer input = wrapper.getInputBuffer();
    int bytes = Math.min(source.readableBytes(), input.capacity());
    source.readBytes(input.clear().limit(bytes));
    wrapper.push(Operation.PROCESS, bytes);
    heldBytes += bytes;
  }

  private static Operation operation(Step step) {
    return switch (step) {
      case TAKE -> Operation.PROCESS;
      case FLUSH -> Operation.FLUSH;
      case END -> Operation.FINISH;
    };
  }

  /** Whether all output so far is in the targets. */
  private boolean writeOutput(ByteBuf target) {
    ByteBuffer left = output;
    if (left == null) {
      return true;
    }
    int bytes = Math.min(left.remaining(), target.writableBytes());
    int end = left.limit();
    target.writeBytes(left.limit(left.position() + bytes));
    left.limit(end);
    if (left.hasRemaining()) {
      return false;
    }
    output = null;
    return true;
  }

  @Override
  public void close() {
    closed = true;
    output = null;
    release.clean();
  }
}
