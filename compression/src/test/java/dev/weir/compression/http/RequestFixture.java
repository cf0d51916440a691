package dev.weir.compression.http;

import dev.weir.compression.Compression;
import dev.weir.compression.CompressionOptions;
import dev.weir.compression.ContentCoding;
import dev.weir.compression.MemoryUnderTest;
import dev.weir.compression.Streams;
import dev.weir.compression.codec.Encoder;
import dev.weir.compression.zstd.ZstdLibrary;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayOutputStream;

/** A channel with a decompressor; at its end nothing may be live. */
final class RequestFixture implements AutoCloseable {
  final MemoryUnderTest memory = new MemoryUnderTest();
  final Compression compression;
  final EmbeddedChannel channel;

  RequestFixture(RequestOptions options) {
    this(ZstdLibrary.best(), options);
  }

  RequestFixture(ZstdLibrary library, RequestOptions options) {
    this(library, CompressionOptions.DEFAULT, options);
  }

  RequestFixture(ZstdLibrary library, CompressionOptions streams, RequestOptions options) {
    compression = memory.compression(library, streams);
    channel = new EmbeddedChannel();
    channel.config().setAllocator(memory.allocator);
    channel.pipeline().addLast(new HttpRequestDecompressor(compression, options));
  }

  /** What the application has got of one request. */
  record Got(HttpRequest head, byte[] content, int parts, boolean ended) {}

  byte[] encode(ContentCoding coding, byte[] content) {
    try (Encoder encoder = compression.tryEncoder(coding, -1)) {
      return Streams.encode(encoder, content, 100_000, 64 << 10, memory.allocator);
    }
  }

  void head(String coding) {
    HttpRequest head = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/");
    if (coding != null) {
      head.headers().set(HttpHeaderNames.CONTENT_ENCODING, coding);
    }
    channel.writeInbound(head);
  }

  void content(byte[] bytes, int from, int length) {
    channel.writeInbound(
        new DefaultHttpContent(
            channel.alloc().directBuffer(Math.max(length, 1)).writeBytes(bytes, from, length)));
  }

  void end() {
    channel.writeInbound(LastHttpContent.EMPTY_LAST_CONTENT);
  }

  void send(String coding, byte[] bytes, int piece) {
    head(coding);
    for (int at = 0; at < bytes.length; at += piece) {
      content(bytes, at, Math.min(piece, bytes.length - at));
    }
    end();
  }

  Got got() {
    HttpRequest head = null;
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    int parts = 0;
    boolean ended = false;
    for (Object message = channel.readInbound();
        message != null;
        message = ended ? null : channel.readInbound()) {
      if (message instanceof HttpRequest request) {
        head = request;
      }
      if (message instanceof HttpContent part) {
        parts += part.content().isReadable() ? 1 : 0;
        content.writeBytes(ByteBufUtil.getBytes(part.content()));
        ended = part instanceof LastHttpContent;
      }
      ReferenceCountUtil.release(message);
    }
    return new Got(head, content.toByteArray(), parts, ended);
  }

  /** The status that the client got; 0 if it got nothing. */
  int answer() {
    FullHttpResponse answer = channel.readOutbound();
    if (answer == null) {
      return 0;
    }
    int status = answer.status().code();
    answer.release();
    return status;
  }

  @Override
  public void close() {
    channel.finishAndReleaseAll();
    compression.destroyIdle(Long.MAX_VALUE);
    memory.assertNothingHeld();
    compression.close();
    memory.close();
  }
}
