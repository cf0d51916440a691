package dev.weir.benchmarks.compression;

import dev.weir.benchmarks.peer.Peer;
import dev.weir.benchmarks.peer.Peer.Family;
import dev.weir.compression.Compression;
import dev.weir.compression.CompressionOptions;
import dev.weir.compression.http.HttpResponseCompressor;
import dev.weir.compression.zstd.ZstdLibrary;
import dev.weir.netty.WeirAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.compression.StandardCompressionOptions;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpContentCompressor;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;

/** A channel with a compressor: a request goes in, its response comes out and is dropped. */
final class Pipeline {
  private static final int NO_THRESHOLD = 0;

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final ByteBuf content;
  private final int writeBytes;

  /**
   * A channel of a peer's.
   *
   * @param way whether and over which library Weir's handler compresses
   * @param writeBytes how long the writes are that the content comes in
   */
  Pipeline(Peer peer, Way way, byte[] text, int writeBytes) {
    ByteBufAllocator allocator = peer.allocator();
    this.content =
        Unpooled.unreleasableBuffer(allocator.directBuffer(text.length).writeBytes(text));
    this.writeBytes = writeBytes;
    channel.config().setAllocator(allocator);
    if (way != Way.UNCOMPRESSED && way != Way.UNCOMPRESSED_BESIDE_BARE) {
      channel
          .pipeline()
          .addLast(
              peer.family() == Family.NETTY
                  ? new HttpContentCompressor(NO_THRESHOLD, StandardCompressionOptions.zstd())
                  : weir((WeirAllocator) allocator, way.library()));
    }
  }

  private static ChannelHandler weir(WeirAllocator allocator, ZstdLibrary library) {
    var pool = allocator.pool();
    var budget = pool.rootBudget().child("compression", 1 << 30);
    return new HttpResponseCompressor(
        Compression.create(library, pool, budget, CompressionOptions.DEFAULT));
  }

  /**
   * Has a request answered.
   *
   * @return how long the compressed content is
   */
  long respond() {
    HttpRequest request = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/");
    request.headers().set(HttpHeaderNames.ACCEPT_ENCODING, "gzip, deflate, zstd");
    channel.writeInbound(request);
    channel.writeInbound(LastHttpContent.EMPTY_LAST_CONTENT);
    drop(true);
    HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
    head.headers().set(HttpHeaderNames.CONTENT_TYPE, "application/json");
    head.headers().set(HttpHeaderNames.CONTENT_LENGTH, content.readableBytes());
    channel.write(head);
    for (int at = 0; at < content.capacity(); at += writeBytes) {
      channel.write(
          new DefaultHttpContent(
              content.retainedSlice(at, Math.min(writeBytes, content.capacity() - at))));
    }
    channel.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
    return drop(false);
  }

  private long drop(boolean inbound) {
    long bytes = 0;
    Object message;
    while ((message = inbound ? channel.readInbound() : channel.readOutbound()) != null) {
      if (message instanceof HttpContent part) {
        bytes += part.content().readableBytes();
      }
      ReferenceCountUtil.release(message);
    }
    return bytes;
  }
}
