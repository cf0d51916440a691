package dev.weir.compression.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.compression.Texts;
import dev.weir.compression.http.ResponseFixture.Written;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Responses one behind the other, and pieces of them that get lost on their way. */
class ResponseTurnsTest {
  private static final byte[] CONTENT = Texts.json(50_000, 1);

  private final ResponseFixture fixture = new ResponseFixture();

  @AfterEach
  void nothingIsLive() {
    fixture.close();
  }

  private void writeHead() {
    fixture.channel.write(fixture.head("application/json"));
  }

  private ChannelFuture writeContent() {
    return fixture.channel.write(fixture.content(CONTENT, 0, CONTENT.length));
  }

  private ChannelFuture end() {
    return fixture.channel.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
  }

  /** It would be the answer to the next request: the client has its answer to the first. */
  @ParameterizedTest
  @ValueSource(ints = {102, 200, 500})
  void aResponseDoesNotBeginInTheMiddleOfARefusedOne(int status) {
    fixture.request("compress, identity;q=0");
    fixture.request("zstd");
    writeHead();
    writeContent();
    assertThatAnotherEndsTheConnection(status);
    assertThat(fixture.written().head().status()).isEqualTo(HttpResponseStatus.NOT_ACCEPTABLE);
    assertThat(fixture.channel.<Object>readOutbound()).isNull();
  }

  /** The encoder would refuse each of these; what has come of the first is not its end. */
  @ParameterizedTest
  @ValueSource(ints = {102, 200, 500})
  void aResponseDoesNotBeginInTheMiddleOfACompressedOne(int status) {
    fixture.request("zstd");
    writeHead();
    writeContent();
    assertThatAnotherEndsTheConnection(status);
  }

  private void assertThatAnotherEndsTheConnection(int status) {
    HttpResponse another =
        new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(status));
    assertThat(fixture.channel.writeAndFlush(another).cause())
        .isInstanceOf(IllegalStateException.class);
    assertThat(fixture.channel.isOpen()).isFalse();
  }

  @Test
  void theNextResponseMayBeginAsTheEndOfARefusedOneIsTold() {
    fixture.request("compress, identity;q=0");
    fixture.request("zstd");
    writeHead();
    writeContent();
    ChannelPromise last = fixture.channel.newPromise();
    last.addListener(told -> {
      writeHead();
      writeContent();
    });
    fixture.channel.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT, last);
    end();
    assertThat(fixture.written().head().status()).isEqualTo(HttpResponseStatus.NOT_ACCEPTABLE);
    Written next = fixture.written();
    assertThat(next.header(HttpHeaderNames.CONTENT_ENCODING)).isEqualTo("zstd");
    assertThat(fixture.decoded(next)).isEqualTo(CONTENT);
    assertThat(fixture.channel.isOpen()).isTrue();
  }

  /** The codec, say, finds no memory for the length of a chunk. */
  @ParameterizedTest
  @ValueSource(strings = {"zstd", "gzip"})
  void aPieceThatCannotBeWrittenEndsTheConnection(String coding) {
    fixture
        .channel
        .pipeline()
        .addFirst(
            new ChannelOutboundHandlerAdapter() {
              @Override
              public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
                if (message instanceof HttpContent content && content.content().isReadable()) {
                  ReferenceCountUtil.release(message);
                  promise.setFailure(new OutOfMemoryError("of a test"));
                } else {
                  ctx.write(message, promise);
                }
              }
            });
    fixture.request(coding);
    writeHead();
    // A piece goes on when a buffer is full.
    for (int i = 0; i < 20 && fixture.channel.isOpen(); i++) {
      fixture.channel.write(fixture.content(Texts.json(CONTENT.length, i), 0, CONTENT.length));
    }
    assertThat(fixture.channel.isOpen()).isFalse();
    assertThat(end().cause()).isNotNull();
  }

  @Test
  void aResponseOfHttp10ComesInNoChunks() {
    fixture.request("zstd");
    HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_0, HttpResponseStatus.OK);
    head.headers().set(HttpHeaderNames.CONTENT_TYPE, "application/json");
    fixture.channel.write(head);
    writeContent();
    end();
    Written written = fixture.written();
    assertThat(written.header(HttpHeaderNames.CONTENT_ENCODING)).isNull();
    assertThat(written.header(HttpHeaderNames.TRANSFER_ENCODING)).isNull();
    assertThat(written.header(HttpHeaderNames.VARY)).isEqualToIgnoringCase("accept-encoding");
    assertThat(written.content()).isEqualTo(CONTENT);
  }

  @Test
  void aWholeResponseInChunksKeepsItsTrailers() {
    fixture.request(HttpMethod.GET, HttpVersion.HTTP_1_1, "zstd");
    FullHttpResponse response = fixture.whole(CONTENT, "application/json");
    response.headers().remove(HttpHeaderNames.CONTENT_LENGTH);
    response.headers().set(HttpHeaderNames.TRANSFER_ENCODING, "chunked");
    response.trailingHeaders().set("x-sum", "1");
    fixture.channel.writeOutbound(response);
    FullHttpResponse written = fixture.channel.readOutbound();
    assertThat(written.headers().get(HttpHeaderNames.TRANSFER_ENCODING)).isEqualTo("chunked");
    assertThat(written.headers().contains(HttpHeaderNames.CONTENT_LENGTH)).isFalse();
    assertThat(written.headers().get(HttpHeaderNames.CONTENT_ENCODING)).isEqualTo("zstd");
    assertThat(written.trailingHeaders().get("x-sum")).isEqualTo("1");
    written.release();
  }

  @Test
  void aLastContentBehindAnInterimHeadIsThatOfNoResponse() {
    AnswerTurns turns = new AnswerTurns();
    turns.requested();
    turns.requested();
    turns.written(new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.EARLY_HINTS));
    turns.written(LastHttpContent.EMPTY_LAST_CONTENT);
    assertThat(turns.isLastOnesTurn()).isFalse();
    turns.written(new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK));
    turns.written(new DefaultLastHttpContent());
    assertThat(turns.isLastOnesTurn()).isTrue();
  }
}
