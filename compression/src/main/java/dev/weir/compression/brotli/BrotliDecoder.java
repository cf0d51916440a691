package dev.weir.compression.brotli;

import com.aayushatharva.brotli4j.decoder.DecoderJNI;
import dev.weir.compression.codec.CodecException;
import dev.weir.compression.codec.CorruptInputException;
import dev.weir.compression.codec.Decoder;
import dev.weir.compression.codec.DirectBuffers;
import dev.weir.compression.context.ContextMemory;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Decompresses one stream with brotli4j: it has one end, and nothing follows it. */
final class BrotliDecoder implements Decoder {
  private final ContextMemory memory;
  private @Nullable BrotliDecoderContext context;
  private boolean closed;
  private boolean ended;

  /** Whether output was taken since the library last looked: what is left may be the end alone. */
  private boolean pulled;

  BrotliDecoder(ContextMemory memory) {
    this.memory = memory;
  }

  @Override
  public boolean decode(ByteBuf source, ByteBuf target) {
    DirectBuffers.require(source);
    DirectBuffers.require(target);
    if (closed) {
      throw new IllegalStateException("the decoder has been closed");
    }
    BrotliDecoderContext current = context;
    if (current == null) {
      if (!source.isReadable()) {
        return true;
      }
      current = begin(source.getUnsignedByte(source.readerIndex()));
      context = current;
    }
    return decode(current.wrapper(), source, target);
  }

  private boolean decode(DecoderJNI.Wrapper wrapper, ByteBuf source, ByteBuf target) {
    while (true) {
      switch (wrapper.getStatus()) {
        case DONE -> {
          ended = true;
          if (source.isReadable()) {
            throw new CorruptInputException("brotli: the input goes on behind its end");
          }
          return true;
        }
        case OK -> lookOn(wrapper);
        case NEEDS_MORE_INPUT -> {
          if (wrapper.hasOutput()) {
            if (!pull(wrapper, target)) {
              return false;
            }
          } else if (source.isReadable()) {
            push(wrapper, source);
          } else if (pulled) {
            lookOn(wrapper);
          } else {
            return true;
          }
        }
        case NEEDS_MORE_OUTPUT -> {
          if (!pull(wrapper, target)) {
            return false;
          }
        }
        case ERROR -> throw new CorruptInputException("brotli: the input is damaged");
      }
    }
  }

  /** Has the library go on with what it has. */
  private void lookOn(DecoderJNI.Wrapper wrapper) {
    pulled = false;
    wrapper.push(0);
  }

  /** Whether there was room; then some output has been written. */
  private boolean pull(DecoderJNI.Wrapper wrapper, ByteBuf target) {
    if (!target.isWritable()) {
      return false;
    }
    target.writeBytes(wrapper.pull(target.writableBytes()));
    pulled = true;
    return true;
  }

  private static void push(DecoderJNI.Wrapper wrapper, ByteBuf source) {
    ByteBuffer input = wrapper.getInputBuffer();
    int bytes = Math.min(source.readableBytes(), input.capacity());
    source.readBytes(input.clear().limit(bytes));
    wrapper.push(bytes);
  }

  private BrotliDecoderContext begin(int firstByte) {
    try {
      long windowBytes = windowBytes(firstByte);
      BrotliDecoderContext made = BrotliDecoderContext.tryCreate(windowBytes, memory);
      if (made == null) {
        throw memory.noRoomForWindow(
            "brotli", windowBytes, BrotliDecoderContext.bytes(windowBytes));
      }
      return made;
    } catch (IOException e) {
      throw new CodecException("brotli", e);
    }
  }

  /** The window, which the first seven bits of a stream tell (RFC 7932, section 9.1). */
  static long windowBytes(int firstByte) {
    int next = firstByte >> 1 & 7;
    int last = firstByte >> 4 & 7;
    if ((firstByte & 1) == 0) {
      return 1L << 16;
    }
    if (next > 0) {
      return 1L << (17 + next);
    }
    if (last == 1) {
      throw new CorruptInputException("brotli: a window of more than 16 MiB is asked for");
    }
    return 1L << (last == 0 ? 17 : 8 + last);
  }

  @Override
  public void finish() {
    if (context != null && !ended) {
      throw new CorruptInputException("brotli: the input ends before its end");
    }
  }

  @Override
  public void close() {
    closed = true;
    BrotliDecoderContext last = context;
    context = null;
    if (last != null) {
      last.close();
    }
  }
}
