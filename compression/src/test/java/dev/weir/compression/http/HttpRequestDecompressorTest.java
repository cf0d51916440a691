package dev.weir.compression.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.compression.ContentCoding;
import dev.weir.compression.RefusingMemory.Refused;
import dev.weir.compression.Texts;
import dev.weir.compression.http.RequestFixture.Got;
import dev.weir.compression.zstd.EachZstd;
import dev.weir.compression.zstd.ZstdLibrary;
import dev.weir.memory.Block;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.local.LocalChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.ScheduledFuture;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@EnumSource(EachZstd.class)
class HttpRequestDecompressorTest {
  private static final int MAX_BYTES = 4 << 20;
  private static final byte[] CONTENT = Texts.json(500_000, 1);

  private final ZstdLibrary library;
  private final RequestFixture fixture;

  HttpRequestDecompressorTest(EachZstd zstd) {
    library = zstd.library();
    fixture = new RequestFixture(library, RequestOptions.upTo(MAX_BYTES));
  }

  @AfterEach
  void nothingIsLive() {
    fixture.close();
  }

  private void assertRefused(int status) {
    assertThat(fixture.answer()).isEqualTo(status);
    fixture.channel.advanceTimeBy(1, TimeUnit.MINUTES);
    fixture.channel.runScheduledPendingTasks();
    assertThat(fixture.channel.isOpen()).isFalse();
    fixture.got();
  }

  @ParameterizedTest
  @EnumSource
  void aContentArrivesAsItWas(ContentCoding coding) {
    byte[] stream = fixture.encode(coding, CONTENT);
    for (int piece : new int[] {100, 8_192, stream.length}) {
      fixture.send(coding.token(), stream, piece);
      Got got = fixture.got();
      assertThat(got.head().headers().contains(HttpHeaderNames.CONTENT_ENCODING)).isFalse();
      assertThat(got.head().headers().get(HttpHeaderNames.TRANSFER_ENCODING)).isEqualTo("chunked");
      assertThat(got.content()).isEqualTo(CONTENT);
      assertThat(got.ended()).isTrue();
    }
  }

  @Test
  void wholeRequestsAndThoseThatAreNotEncodedArriveToo() {
    byte[] stream = fixture.encode(ContentCoding.GZIP, CONTENT);
    for (String coding : new String[] {"GZIP", "x-gzip", "identity, gzip"}) {
      var request =
          new DefaultFullHttpRequest(
              HttpVersion.HTTP_1_1, HttpMethod.POST, "/", Unpooled.wrappedBuffer(stream));
      request.headers().set(HttpHeaderNames.CONTENT_ENCODING, coding);
      fixture.channel.writeInbound(request);
      assertThat(fixture.got().content()).isEqualTo(CONTENT);
    }
    for (String coding : new String[] {null, "identity", ""}) {
      fixture.send(coding, CONTENT, 10_000);
      assertThat(fixture.got().content()).isEqualTo(CONTENT);
    }
  }

  @Test
  void aContentOfNothingIsNothing() {
    fixture.send("zstd", new byte[0], 1);
    Got got = fixture.got();
    assertThat(got.content()).isEmpty();
    assertThat(got.ended()).isTrue();
  }

  @Test
  void severalFramesAreOneContent() {
    ByteArrayOutputStream stream = new ByteArrayOutputStream();
    for (int i = 0; i < 10; i++) {
      stream.writeBytes(fixture.encode(ContentCoding.ZSTD, Texts.json(1_000, i)));
    }
    fixture.send("zstd", stream.toByteArray(), 333);
    assertThat(fixture.got().content()).hasSize(10_000);
  }

  @Test
  void buffersAreBoundedAndAsManyAsAreRead() {
    byte[] stream = fixture.encode(ContentCoding.ZSTD, CONTENT);
    fixture.channel.config().setAutoRead(false);
    fixture.head("zstd");
    fixture.content(stream, 0, stream.length);
    fixture.end();
    assertThat(fixture.channel.inboundMessages()).isEmpty();
    int parts = 0;
    int bytes = 0;
    for (int reads = 1; bytes < CONTENT.length; reads++) {
      fixture.channel.read();
      assertThat(fixture.channel.inboundMessages()).hasSize(1);
      Got got = fixture.got();
      assertThat(got.content().length).isLessThanOrEqualTo(64 << 10);
      bytes += got.content().length;
      parts = reads;
    }
    assertThat(parts).isGreaterThanOrEqualTo(8);
    fixture.channel.read();
    assertThat(fixture.got().ended()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "gzip"})
  void whoReadsOnReceiptIsReadFor(String coding) {
    AtomicInteger reads = new AtomicInteger();
    fixture.channel.config().setAutoRead(false);
    fixture
        .channel
        .pipeline()
        .addFirst(
            new ChannelOutboundHandlerAdapter() {
              @Override
              public void read(ChannelHandlerContext ctx) {
                reads.incrementAndGet();
                ctx.read();
              }
            })
        .addLast(
            new ChannelInboundHandlerAdapter() {
              @Override
              public void channelRead(ChannelHandlerContext ctx, Object message) {
                ReferenceCountUtil.release(message);
                ctx.read();
              }
            });
    fixture.channel.read();
    assertThat(reads).hasValue(1);
    fixture.head(coding);
    assertThat(reads).hasValue(2);
    byte[] stream = coding.isEmpty() ? CONTENT : fixture.encode(ContentCoding.GZIP, CONTENT);
    fixture.content(stream, 0, stream.length);
    assertThat(reads).hasValue(3);
    fixture.end();
    assertThat(reads).hasValue(4);
  }

  @ParameterizedTest
  @EnumSource
  void aBombByItsRatioIsFoundEarly(ContentCoding coding) {
    byte[] bomb = fixture.encode(coding, new byte[3 << 20]);
    fixture.send(coding.token(), bomb, 1_000);
    assertThat(fixture.got().content().length).isLessThan(2 << 20);
    assertRefused(413);
  }

  @Test
  void aContentAboveTheMaximumIsRefused() {
    fixture.send("zstd", fixture.encode(ContentCoding.ZSTD, Texts.json(MAX_BYTES + 1, 2)), 8_192);
    assertRefused(413);
  }

  @Test
  void aContentOfTheMaximumIsNot() {
    fixture.send("zstd", fixture.encode(ContentCoding.ZSTD, Texts.json(MAX_BYTES, 2)), 8_192);
    assertThat(fixture.got().content()).hasSize(MAX_BYTES);
  }

  @ParameterizedTest
  @EnumSource(names = {"ZSTD", "GZIP"})
  void aStreamThatGoesOnWithoutContentIsRefused(ContentCoding coding) {
    byte[] empty =
        coding == ContentCoding.GZIP
            ? fixture.encode(coding, new byte[0])
            : HexFormat.of().parseHex("502a4d1804000000" + "00000000");
    byte[] many = new byte[empty.length * 1_000];
    for (int at = 0; at < many.length; at += empty.length) {
      System.arraycopy(empty, 0, many, at, empty.length);
    }
    assertEndlessIsRefused(coding, new byte[0], many);
  }

  @Test
  void aNameWithoutEndIsRefused() {
    byte[] begin = HexFormat.of().parseHex("1f8b08080000000000ff");
    byte[] name = new byte[10_000];
    Arrays.fill(name, (byte) 'x');
    assertEndlessIsRefused(ContentCoding.GZIP, begin, name);
  }

  private void assertEndlessIsRefused(ContentCoding coding, byte[] begin, byte[] more) {
    fixture.head(coding.token());
    fixture.content(begin, 0, begin.length);
    int status = 0;
    for (long sent = 0; status == 0; sent += more.length) {
      assertThat(sent).isLessThan(2L * MAX_BYTES);
      fixture.content(more, 0, more.length);
      status = fixture.answer();
    }
    assertThat(status).isEqualTo(413);
    fixture.got();
  }

  @ParameterizedTest
  @EnumSource
  void noiseOfTheMaximumIsNotTooLong(ContentCoding coding) {
    byte[] noise = Texts.noise(MAX_BYTES, 7);
    fixture.send(coding.token(), fixture.encode(coding, noise), 64 << 10);
    assertThat(fixture.got().content()).isEqualTo(noise);
  }

  @ParameterizedTest
  @EnumSource
  void whatIsCutOffOrGoesOnIsRefused(ContentCoding coding) {
    byte[] stream = fixture.encode(coding, CONTENT);
    for (byte[] bad :
        new byte[][] {
          Arrays.copyOf(stream, stream.length - 1),
          Arrays.copyOf(stream, stream.length / 2),
          Arrays.copyOf(stream, stream.length + 5),
          Texts.noise(1_000, 3)
        }) {
      try (RequestFixture other = new RequestFixture(library, RequestOptions.upTo(MAX_BYTES))) {
        other.send(coding.token(), bad, 10_000);
        assertThat(other.answer()).isEqualTo(400);
        other.got();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"deflate", "gzip, zstd", "\u00e9\r\nx: y", "compress", "aws-chunked"})
  void codingsThatAreNotKnownAreRefusedWithThoseThatAre(String coding) {
    var head =
        new io.netty.handler.codec.http.DefaultHttpRequest(
            HttpVersion.HTTP_1_1,
            HttpMethod.POST,
            "/",
            io.netty.handler.codec.http.DefaultHttpHeadersFactory.headersFactory()
                .withValidation(false)
                .newHeaders()
                .set(HttpHeaderNames.CONTENT_ENCODING, coding));
    fixture.channel.writeInbound(head);
    FullHttpResponse answer = fixture.channel.readOutbound();
    assertThat(answer.status()).isEqualTo(HttpResponseStatus.UNSUPPORTED_MEDIA_TYPE);
    assertThat(answer.headers().get(HttpHeaderNames.ACCEPT_ENCODING)).isEqualTo("zstd, br, gzip");
    assertThat(answer.headers().get(HttpHeaderNames.CONNECTION)).isEqualTo("close");
    answer.release();
    assertThat(fixture.channel.inboundMessages()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"gzip, chunked", ", chunked", "chunked, chunked"})
  void anEncodedContentInAnotherTransferCodingIsRefused(String transferCoding) {
    HttpRequest head = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/");
    head.headers().set(HttpHeaderNames.CONTENT_ENCODING, "gzip");
    head.headers().set(HttpHeaderNames.TRANSFER_ENCODING, transferCoding);
    fixture.channel.writeInbound(head);
    assertRefused(501);
  }

  /** An event loop takes no timer for want of Java heap, say. */
  @Test
  void aRefusalThatCannotBeAnsweredClosesTheChannel() throws Exception {
    DefaultEventLoop loop =
        new DefaultEventLoop() {
          @Override
          public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
            throw new InternalError("made by the test");
          }
        };
    LocalChannel channel = new LocalChannel();
    loop.register(channel).sync();
    channel
        .pipeline()
        .addLast(new HttpRequestDecompressor(fixture.compression, RequestOptions.upTo(MAX_BYTES)))
        .addLast(
            new ChannelInboundHandlerAdapter() {
              @Override
              public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
                // It reaches the application, which has no channel to do anything with.
              }
            });
    HttpRequest head = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/");
    head.headers().set(HttpHeaderNames.CONTENT_ENCODING, "nonsense");
    channel.pipeline().fireChannelRead(head);
    assertThat(channel.closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
    loop.shutdownGracefully(0, 20, TimeUnit.SECONDS).sync();
  }

  @Test
  void withoutMemoryTheClientMayTryAgain() {
    byte[] stream = fixture.encode(ContentCoding.ZSTD, CONTENT);
    fixture.compression.destroyIdle(Long.MAX_VALUE);
    fixture.memory.budget.setLimitBytes(4 << 20);
    Block others = fixture.memory.pool.allocate(2 << 20, fixture.memory.budget);
    fixture.send("zstd", stream, 10_000);
    assertRefused(503);
    others.release();
  }

  @Test
  void whereThereNeverIsMemoryItMayNot() {
    byte[] stream = fixture.encode(ContentCoding.ZSTD, CONTENT);
    fixture.compression.destroyIdle(Long.MAX_VALUE);
    fixture.memory.budget.setLimitBytes(1_000);
    fixture.send("zstd", stream, 10_000);
    assertRefused(400);
  }

  @Test
  void whatTheApplicationSaysAfterARefusalIsDropped() {
    fixture.send("zstd", Texts.noise(1_000, 1), 1_000);
    ChannelFuture late =
        fixture.channel.writeAndFlush(
            new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1,
                HttpResponseStatus.OK,
                fixture.memory.allocator.directBuffer(100).writeZero(100)));
    assertThat(late.isSuccess()).isFalse();
    assertRefused(400);
  }

  @Test
  void aResponseThatHasBegunIsCutOff() {
    fixture.head("zstd");
    fixture.channel.writeOutbound(
        new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK));
    fixture.content(Texts.noise(1_000, 1), 0, 1_000);
    assertThat(fixture.channel.isOpen()).isFalse();
    assertThat(fixture.channel.<Object>readOutbound()).isInstanceOf(DefaultHttpResponse.class);
    assertThat(fixture.channel.<Object>readOutbound()).isNull();
    fixture.got();
  }

  @Test
  void aRefusalWaitsForTheResponsesBeforeIt() {
    fixture.send(null, CONTENT, 500_000);
    fixture.send("zstd", Texts.noise(1_000, 1), 1_000);
    assertThat(fixture.channel.<Object>readOutbound()).isNull();
    fixture.channel.writeOutbound(
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER));
    assertThat(fixture.answer()).isEqualTo(100);
    assertThat(fixture.channel.<Object>readOutbound()).isNull();
    fixture.channel.write(new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK));
    fixture.channel.writeOutbound(LastHttpContent.EMPTY_LAST_CONTENT);
    fixture.channel.<Object>readOutbound();
    fixture.channel.<Object>readOutbound();
    assertRefused(400);
  }

  @Test
  void theChannelClosesOrTheHandlerGoesInTheMiddle() {
    byte[] stream = fixture.encode(ContentCoding.ZSTD, CONTENT);
    fixture.channel.config().setAutoRead(false);
    fixture.head("zstd");
    fixture.content(stream, 0, stream.length);
    fixture.channel.read();
    fixture.channel.read();
    fixture.got();
    fixture.channel.pipeline().remove(HttpRequestDecompressor.class);
    assertThat(fixture.channel.isOpen()).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void everyAllocationFailsInTurn(ContentCoding coding) {
    byte[] stream = fixture.encode(coding, CONTENT);
    for (int before = 0; ; before++) {
      try (RequestFixture faulty = new RequestFixture(library, RequestOptions.upTo(MAX_BYTES))) {
        FailingAllocator allocator =
            new FailingAllocator(faulty.memory.allocator, Refused.ONE, before);
        faulty.channel.config().setAllocator(allocator);
        faulty.head(coding.token());
        faulty.channel.writeInbound(
            new io.netty.handler.codec.http.DefaultLastHttpContent(Unpooled.wrappedBuffer(stream)));
        Got got = faulty.got();
        int status = faulty.answer();
        if (!allocator.hasFailed()) {
          assertThat(got.content()).isEqualTo(CONTENT);
          assertThat(before).isGreaterThan(3);
          return;
        }
        assertThat(status).isEqualTo(503);
        assertThat(got.ended()).as("the end of a request with a hole").isFalse();
      }
    }
  }
}
