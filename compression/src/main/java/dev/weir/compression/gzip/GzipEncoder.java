package dev.weir.compression.gzip;

import dev.weir.compression.codec.DirectBuffers;
import dev.weir.compression.codec.Step;
import dev.weir.compression.context.ContextMemory;
import dev.weir.compression.context.EncoderContext;
import dev.weir.compression.context.LibraryMemory;
import io.netty.buffer.ByteBuf;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import org.jspecify.annotations.Nullable;

/** Writes one member of gzip (RFC 1952) for each stream, from direct memory to direct memory. */
final class GzipEncoder implements EncoderContext {
  /**
   * What zlib takes for its window, its hash chains and its symbols with 15 bits and memory level
   * 8: 268 KiB, and some for what forks of it add.
   */
  private static final long NATIVE_BYTES = 320 << 10;

  private static final byte[] HEADER = {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 0, (byte) 0xff};
  private static final int TRAILER_BYTES = 8;
  private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);

  private final Deflater deflater;
  private final long bytes;
  private final Cleaner.Cleanable release;
  private final CRC32 crc = new CRC32();
  private final ByteBuffer frame = ByteBuffer.allocate(HEADER.length);
  private boolean trailerWritten;

  private GzipEncoder(LibraryMemory<Deflater> memory) {
    this.deflater = memory.handle();
    this.bytes = memory.bytes();
    this.release = memory.releaseWith(this);
  }

  static @Nullable GzipEncoder tryCreate(int level, ContextMemory memory) {
    return LibraryMemory.tryMake(
        memory,
        NATIVE_BYTES,
        () -> new Deflater(level, /* nowrap= */ true),
        Deflater::end,
        GzipEncoder::new);
  }

  @Override
  public long bytes() {
    return bytes;
  }

  @Override
  public void begin(long sourceBytes) {
    deflater.reset();
    crc.reset();
    frame.clear().put(HEADER).flip();
    trailerWritten = false;
  }

  @Override
  public boolean encode(ByteBuf source, ByteBuf target, Step step) {
    DirectBuffers.require(source);
    DirectBuffers.require(target);
    if (!writeFrame(target)) {
      return false;
    }
    if (step == Step.END) {
      deflater.finish();
    }
    boolean done = deflater.finished() || deflate(source, target, step);
    if (step != Step.END || !done) {
      return done;
    }
    if (!trailerWritten) {
      frame.clear();
      writeLittleEndian((int) crc.getValue());
      writeLittleEndian((int) deflater.getBytesRead());
      frame.flip();
      trailerWritten = true;
    }
    return writeFrame(target);
  }

  /** Whether the step is done but for the trailer; if not, the target is full. */
  private boolean deflate(ByteBuf source, ByteBuf target, Step step) {
    int from = source.readerIndex();
    ByteBuffer in = source.internalNioBuffer(from, source.readableBytes());
    int start = in.position();
    int flush = step == Step.FLUSH ? Deflater.SYNC_FLUSH : Deflater.NO_FLUSH;
    try {
      deflater.setInput(in);
      boolean room = true;
      while (room && !deflater.finished()) {
        ByteBuffer out = target.internalNioBuffer(target.writerIndex(), target.writableBytes());
        int written = deflater.deflate(out, flush);
        target.writerIndex(target.writerIndex() + written);
        room = target.isWritable();
        if (room && written == 0) {
          break;
        }
      }
      return step == Step.END ? deflater.finished() : room && !in.hasRemaining();
    } finally {
      int taken = in.position() - start;
      deflater.setInput(NOTHING);
      crc.update(source.internalNioBuffer(from, taken));
      source.readerIndex(from + taken);
    }
  }

  /** Whether all of the header or the trailer is in the targets. */
  private boolean writeFrame(ByteBuf target) {
    while (frame.hasRemaining() && target.isWritable()) {
      target.writeByte(frame.get());
    }
    return !frame.hasRemaining();
  }

  private void writeLittleEndian(int value) {
    for (int i = 0; i < TRAILER_BYTES / 2; i++) {
      frame.put((byte) (value >>> (Byte.SIZE * i)));
    }
  }

  @Override
  public void destroy() {
    release.clean();
  }
}
