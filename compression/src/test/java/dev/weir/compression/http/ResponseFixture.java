package dev.weir.compression.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.compression.Compression;
import dev.weir.compression.CompressionOptions;
import dev.weir.compression.ContentCoding;
import dev.weir.compression.MemoryUnderTest;
import dev.weir.compression.Streams;
import dev.weir.compression.codec.Decoder;
import dev.weir.compression.zstd.ZstdLibrary;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayOutputStream;
import java.util.function.Supplier;

/** A channel with a compressor; at its end nothing may be live. */
final class ResponseFixture implements AutoCloseable {
  final MemoryUnderTest memory = new MemoryUnderTest();
  final Compression compression;
  final EmbeddedChannel channel;

  ResponseFixture() {
    this(ResponseOptions.DEFAULT);
  }

  ResponseFixture(ResponseOptions options) {
    this(options, /* output= */ null);
  }

  /** With what is asked for the allocator of each response; null for the channel's. */
  ResponseFixture(ResponseOptions options, Supplier<ByteBufAllocator> output) {
    this(ZstdLibrary.best(), options, output);
  }

  ResponseFixture(ZstdLibrary library) {
    this(library, ResponseOptions.DEFAULT, /* output= */ null);
  }

  ResponseFixture(ZstdLibrary library, ResponseOptions options, Supplier<ByteBufAllocator> output) {
    this(library, CompressionOptions.DEFAULT, options, output);
  }

  ResponseFixture(
      ZstdLibrary library,
      CompressionOptions streams,
      ResponseOptions options,
      Supplier<ByteBufAllocator> output) {
    compression = memory.compression(library, streams);
    channel = new EmbeddedChannel();
    channel.config().setAllocator(memory.allocator);
    channel.pipeline().addLast(new HttpResponseCompressor(compression, options, output));
  }

  /** What has been written for one response. */
  record Written(HttpResponse head, byte[] content, int chunks, boolean ended) {
    String header(CharSequence name) {
      return head.headers().get(name);
    }
  }

  ByteBufAllocator allocator() {
    return memory.allocator;
  }

  void request(String acceptEncoding) {
    request(HttpMethod.GET, HttpVersion.HTTP_1_1, acceptEncoding);
  }

  void request(HttpMethod method, HttpVersion version, String acceptEncoding) {
    var request = new DefaultFullHttpRequest(version, method, "/");
    if (acceptEncoding != null) {
      request.headers().set(HttpHeaderNames.ACCEPT_ENCODING, acceptEncoding);
    }
    channel.writeInbound(request);
    ReferenceCountUtil.release(channel.readInbound());
  }

  FullHttpResponse whole(byte[] content, String type) {
    FullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1,
            HttpResponseStatus.OK,
            allocator().directBuffer(Math.max(content.length, 1)).writeBytes(content));
    response.headers().set(HttpHeaderNames.CONTENT_TYPE, type);
    response.headers().set(HttpHeaderNames.CONTENT_LENGTH, content.length);
    return response;
  }

  HttpResponse head(String type) {
    HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
    head.headers().set(HttpHeaderNames.CONTENT_TYPE, type);
    head.headers().set(HttpHeaderNames.TRANSFER_ENCODING, "chunked");
    return head;
  }

  HttpContent content(byte[] bytes, int from, int length) {
    return new DefaultHttpContent(
        allocator().directBuffer(Math.max(length, 1)).writeBytes(bytes, from, length));
  }

  /** Takes one response from the channel. */
  Written written() {
    HttpResponse head = null;
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    int chunks = 0;
    boolean ended = false;
    for (Object message = channel.readOutbound();
        message != null;
        message = ended ? null : channel.readOutbound()) {
      if (message instanceof HttpResponse response) {
        assertThat(head).isNull();
        head = response;
      }
      if (message instanceof HttpContent part) {
        ByteBuf bytes = part.content();
        chunks += bytes.isReadable() ? 1 : 0;
        content.writeBytes(io.netty.buffer.ByteBufUtil.getBytes(bytes));
        ended = part instanceof io.netty.handler.codec.http.LastHttpContent;
      }
      ReferenceCountUtil.release(message);
    }
    return new Written(head, content.toByteArray(), chunks, ended);
  }

  byte[] decoded(Written written) {
    String token = written.header(HttpHeaderNames.CONTENT_ENCODING);
    if (token == null) {
      return written.content();
    }
    ContentCoding coding =
        compression.codings().stream()
            .filter(c -> c.token().equals(token))
            .findFirst()
            .orElseThrow();
    try (Decoder decoder = compression.decoder(coding)) {
      return Streams.decode(decoder, written.content(), 10_000, 10_000, allocator());
    }
  }

  /** Nothing is live but contexts that rest. */
  void assertOnlyIdle() {
    compression.destroyIdle(Long.MAX_VALUE);
    memory.assertNothingHeld();
  }

  static ByteBuf none() {
    return Unpooled.EMPTY_BUFFER;
  }

  @Override
  public void close() {
    channel.finishAndReleaseAll();
    assertOnlyIdle();
    compression.close();
    memory.close();
  }
}
