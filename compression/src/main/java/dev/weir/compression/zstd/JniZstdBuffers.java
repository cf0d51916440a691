package dev.weir.compression.zstd;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/** What an encoder or decoder of zstd-jni shows its library of buffers. One thread at a time. */
final class JniZstdBuffers {
  private final NativeWindow sources = new NativeWindow();
  private final NativeWindow targets = new NativeWindow();

  /** None has been shown yet. */
  JniZstdBuffers() {}

  /** A call into the library, which advances both buffers; true as the library means it. */
  @FunctionalInterface
  interface Call {
    boolean run(ByteBuffer target, ByteBuffer source);
  }

  /** Makes a call, and takes note of how far it has come. */
  boolean run(ByteBuf source, ByteBuf target, Call call) {
    ByteBuffer in = sources.over(source, source.readerIndex(), source.readableBytes());
    ByteBuffer out = targets.over(target, target.writerIndex(), target.writableBytes());
    int inStart = in.position();
    int outStart = out.position();
    boolean result = call.run(out, in);
    source.skipBytes(in.position() - inStart);
    target.writerIndex(target.writerIndex() + out.position() - outStart);
    return result;
  }
}
