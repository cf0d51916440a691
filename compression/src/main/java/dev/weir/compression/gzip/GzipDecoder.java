package dev.weir.compression.gzip;

import dev.weir.compression.codec.CorruptInputException;
import dev.weir.compression.codec.Decoder;
import dev.weir.compression.codec.DirectBuffers;
import dev.weir.compression.context.ContextMemory;
import dev.weir.compression.context.ContextPool;
import dev.weir.memory.budget.BudgetExceededError;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/** Decompresses members one behind the other, and checks what they say of themselves. */
final class GzipDecoder implements Decoder {
  private enum Phase {
    HEADER,
    BODY,
    TRAILER,
    CLOSED
  }

  private static final int TRAILER_BYTES = 8;
  private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);

  private final ContextPool<GzipCodec.Kind, GzipInflater> contexts;
  private final ContextMemory memory;
  private final GzipHeader header = new GzipHeader();
  private final CRC32 crc = new CRC32();
  private Phase phase = Phase.HEADER;
  private @Nullable GzipInflater context;
  private long trailer;
  private int trailerBytes;

  GzipDecoder(ContextPool<GzipCodec.Kind, GzipInflater> contexts, ContextMemory memory) {
    this.contexts = contexts;
    this.memory = memory;
  }

  @Override
  public boolean decode(ByteBuf source, ByteBuf target) {
    DirectBuffers.require(source);
    DirectBuffers.require(target);
    while (true) {
      switch (phase) {
        case HEADER -> {
          if (!header.read(source)) {
            return true;
          }
          begin();
        }
        case BODY -> {
          if (!inflate(inflater(), source, target)) {
            return target.isWritable();
          }
          trailer = 0;
          trailerBytes = 0;
          phase = Phase.TRAILER;
        }
        case TRAILER -> {
          if (!readTrailer(source)) {
            return true;
          }
          header.reset();
          phase = Phase.HEADER;
        }
        case CLOSED -> throw new IllegalStateException("the decoder has been closed");
      }
    }
  }

  private void begin() {
    GzipInflater current = context;
    if (current == null) {
      current = contexts.tryTake(GzipCodec.Kind.ANY);
      if (current == null) {
        throw new BudgetExceededError(
            memory.budget(), 1, "there is no room to decompress another stream");
      }
      context = current;
    }
    current.inflater().reset();
    crc.reset();
    phase = Phase.BODY;
  }

  private Inflater inflater() {
    GzipInflater current = context;
    if (current == null) {
      throw new IllegalStateException("there is no context in a member");
    }
    return current.inflater();
  }

  /** Whether the member is at its end; if not, the source is empty or the target is full. */
  private boolean inflate(Inflater inflater, ByteBuf source, ByteBuf target) {
    int from = source.readerIndex();
    int to = target.writerIndex();
    ByteBuffer in = source.internalNioBuffer(from, source.readableBytes());
    int start = in.position();
    try {
      inflater.setInput(in);
      int written = -1;
      while (written != 0 && target.isWritable() && !inflater.finished()) {
        written =
            inflater.inflate(
                target.internalNioBuffer(target.writerIndex(), target.writableBytes()));
        target.writerIndex(target.writerIndex() + written);
      }
      if (inflater.needsDictionary()) {
        throw new CorruptInputException("gzip: a dictionary is asked for");
      }
      return inflater.finished();
    } catch (DataFormatException damaged) {
      throw new CorruptInputException("gzip: " + damaged.getMessage(), damaged);
    } finally {
      int taken = in.position() - start;
      inflater.setInput(NOTHING);
      source.readerIndex(from + taken);
      crc.update(target.internalNioBuffer(to, target.writerIndex() - to));
    }
  }

  /** Whether the trailer has been read; if not, the source is empty. */
  private boolean readTrailer(ByteBuf source) {
    while (trailerBytes < TRAILER_BYTES && source.isReadable()) {
      trailer |= (long) source.readUnsignedByte() << (Byte.SIZE * trailerBytes);
      trailerBytes++;
    }
    if (trailerBytes < TRAILER_BYTES) {
      return false;
    }
    if ((int) trailer != (int) crc.getValue()) {
      throw new CorruptInputException("gzip: the checksum is another");
    }
    if ((int) (trailer >>> Integer.SIZE) != (int) inflater().getBytesWritten()) {
      throw new CorruptInputException("gzip: the length is another");
    }
    return true;
  }

  @Override
  public void finish() {
    if (phase != Phase.HEADER || !header.isUntouched()) {
      throw new CorruptInputException("gzip: the input ends within a member");
    }
  }

  @Override
  public void close() {
    phase = Phase.CLOSED;
    GzipInflater last = context;
    context = null;
    if (last != null) {
      contexts.giveBack(GzipCodec.Kind.ANY, last);
    }
  }
}
