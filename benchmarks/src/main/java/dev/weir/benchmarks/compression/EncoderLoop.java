package dev.weir.benchmarks.compression;

import dev.weir.benchmarks.peer.Peer;
import dev.weir.compression.Compression;
import dev.weir.compression.CompressionOptions;
import dev.weir.compression.ContentCoding;
import dev.weir.compression.codec.Encoder;
import dev.weir.compression.codec.Step;
import dev.weir.compression.zstd.ZstdLibrary;
import dev.weir.netty.WeirAllocator;
import io.netty.buffer.ByteBuf;
import java.util.Objects;

/**
 * A stream for each content, in a context of the pool's, into a buffer that is allocated for it.
 */
final class EncoderLoop {
  private static final int TARGET_BYTES = 64 << 10;

  private final WeirAllocator allocator = (WeirAllocator) Peer.WEIR.allocator();
  private final Compression compression;
  private final ByteBuf content;

  EncoderLoop(ZstdLibrary library, byte[] text) {
    var pool = allocator.pool();
    compression =
        Compression.create(
            library,
            pool,
            pool.rootBudget().child("compression", 1 << 30),
            CompressionOptions.DEFAULT);
    content = allocator.directBuffer(text.length).writeBytes(text);
  }

  long run() {
    content.readerIndex(0);
    long bytes = 0;
    try (Encoder encoder =
        Objects.requireNonNull(
            compression.tryEncoder(ContentCoding.ZSTD, content.readableBytes()))) {
      boolean done;
      do {
        ByteBuf target = allocator.directBuffer(TARGET_BYTES, TARGET_BYTES);
        done = encoder.encode(content, target, Step.END);
        bytes += target.readableBytes();
        target.release();
      } while (!done);
    }
    return bytes;
  }
}
