package dev.weir.compression.zstd;

import dev.weir.compression.codec.DirectBuffers;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/** What the encoders and decoders of zstd-jni have in common: their buffers. */
final class JniZstdBuffers {
  private JniZstdBuffers() {}

  /** A call into the library, which advances both buffers; true as the library means it. */
  @FunctionalInterface
  interface Call {
    boolean run(ByteBuffer target, ByteBuffer source);
  }

  /** Makes a call, and takes note of how far it has come. */
  static boolean run(ByteBuf source, ByteBuf target, Call call) {
    ByteBuffer in =
        DirectBuffers.require(source)
            .internalNioBuffer(source.readerIndex(), source.readableBytes());
    ByteBuffer out =
        DirectBuffers.require(target)
            .internalNioBuffer(target.writerIndex(), target.writableBytes());
    int inStart = in.position();
    int outStart = out.position();
    boolean result = call.run(out, in);
    source.skipBytes(in.position() - inStart);
    target.writerIndex(target.writerIndex() + out.position() - outStart);
    return result;
  }
}
