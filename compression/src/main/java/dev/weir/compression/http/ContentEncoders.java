package dev.weir.compression.http;

import dev.weir.compression.Compression;
import dev.weir.compression.ContentCoding;
import dev.weir.compression.codec.Encoder;
import dev.weir.netty.log.FailureLog;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ServerChannel;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Begins the contents of compressed responses, where somebody can read them and there is room. */
final class ContentEncoders {
  private static final FailureLog LOG = HttpResponseCompressor.UNCOMPRESSED;

  private final Compression compression;
  private final int chunkBytes;

  /** Null for the channel's. */
  private final @Nullable Supplier<ByteBufAllocator> allocator;

  /** As {@link HttpResponseCompressor} is made. */
  ContentEncoders(
      Compression compression, int chunkBytes, @Nullable Supplier<ByteBufAllocator> allocator) {
    this.compression = compression;
    this.chunkBytes = chunkBytes;
    this.allocator = allocator;
  }

  private ByteBufAllocator allocator(ChannelHandlerContext ctx) {
    return allocator == null ? ctx.alloc() : allocator.get();
  }

  /**
   * Whether what is written can arrive. A stream of HTTP/2 is told of its connection's end after
   * others have closed what its buffers come from.
   */
  static boolean isAlive(ChannelHandlerContext ctx) {
    Channel channel = ctx.channel();
    Channel parent = channel.parent();
    return channel.isActive()
        && (parent == null || parent instanceof ServerChannel || parent.isActive());
  }

  /** What there are encoders of. */
  List<ContentCoding> codings() {
    return compression.codings();
  }

  /**
   * Begins to compress a content, for as long as nothing of its response has been written.
   *
   * @return null where there is no room for that now, or it fails
   */
  @Nullable EncodedContent tryBegin(ChannelHandlerContext ctx, ResponsePlan plan, long bytes) {
    Encoder encoder = null;
    try {
      encoder = tryEncoder(ctx, plan, bytes);
      if (encoder == null) {
        return null;
      }
      return new EncodedContent(encoder, allocator(ctx), chunkBytes, bytes);
    } catch (Throwable failure) {
      if (encoder != null) {
        encoder.close();
      }
      LOG.report("a response is not compressed", failure);
      return null;
    }
  }

  private @Nullable Encoder tryEncoder(ChannelHandlerContext ctx, ResponsePlan plan, long bytes) {
    if (!isAlive(ctx)) {
      return null; // Nobody will read it.
    }
    return plan.required()
        ? compression.tryRequiredEncoder(plan.requireCoding(), bytes)
        : compression.tryEncoder(plan.requireCoding(), bytes);
  }
}
