package dev.weir.compression.zstd;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/**
 * What an encoder or decoder of zstd-jni shows its library of buffers. One thread at a time.
 *
 * <p>The library makes objects for each call, which the compiler removes as long as all of the call
 * is inlined: whoever calls it does so by itself, between {@link #show} and {@link #advance}, not
 * through an interface.
 */
final class JniZstdBuffers {
  private final NativeWindow sources = new NativeWindow();
  private final NativeWindow targets = new NativeWindow();

  /** None has been shown yet. */
  JniZstdBuffers() {}

  /** Has {@link #source} show what is readable, and {@link #target} what is writable. */
  void show(ByteBuf source, ByteBuf target) {
    sources.show(source, source.readerIndex(), source.readableBytes());
    targets.show(target, target.writerIndex(), target.writableBytes());
  }

  /** What a call into the library reads. */
  ByteBuffer source() {
    return sources.view();
  }

  /** What a call into the library writes. */
  ByteBuffer target() {
    return targets.view();
  }

  /** Takes note of how far a call has come. */
  void advance(ByteBuf source, ByteBuf target) {
    source.skipBytes(sources.passedBytes());
    target.writerIndex(target.writerIndex() + targets.passedBytes());
  }
}
