package dev.weir.netty.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContentCompressor;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An application that fails in the middle of a response, and answers once more: what has come of
 * the first must not seem whole, nor the second be taken for the answer to another request.
 */
class SecondHeadTest {
  private final AggregatorFixture fixture = AggregatorFixture.upTo(500);

  @AfterEach
  void nothingIsHeld() {
    fixture.assertNothingHeld();
  }

  /** Of a whole response Netty's compressor takes the content for the end of the first's. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aSecondHeadEndsTheConnection(boolean isCompressed) {
    if (isCompressed) {
      fixture.channel.pipeline().addBefore(aggregator(), "compressor", new HttpContentCompressor());
    }
    begin();
    ChannelFuture second = fixture.channel.writeAndFlush(failure());
    assertThat(second.cause())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("LastHttpContent");
    assertThatItIsCutOff();
  }

  @Test
  void aSecondInterimHeadEndsTheConnection() {
    begin();
    HttpResponse interim =
        new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.PROCESSING);
    assertThat(fixture.channel.writeAndFlush(interim).cause())
        .isInstanceOf(IllegalStateException.class);
    assertThatItIsCutOff();
  }

  private String aggregator() {
    return fixture.channel.pipeline().context(BudgetedHttpAggregator.class).name();
  }

  /** To the first of two requests. */
  private void begin() {
    String head = "GET / HTTP/1.1\r\nAccept-Encoding: gzip\r\n\r\n";
    fixture.receive(head + head);
    fixture.request().release();
    HttpResponse first = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
    first.headers().set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
    fixture.channel.write(first);
    fixture.channel.writeAndFlush(
        new DefaultHttpContent(Unpooled.copiedBuffer("part", StandardCharsets.US_ASCII)));
  }

  private static FullHttpResponse failure() {
    FullHttpResponse failure =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1,
            HttpResponseStatus.INTERNAL_SERVER_ERROR,
            Unpooled.copiedBuffer("failed", StandardCharsets.US_ASCII));
    failure.headers().set(HttpHeaderNames.CONTENT_LENGTH, 6);
    return failure;
  }

  private void assertThatItIsCutOff() {
    fixture.channel.runPendingTasks();
    assertThat(fixture.channel.isOpen()).isFalse();
    assertThat(fixture.written())
        .startsWith("HTTP/1.1 200 OK")
        .doesNotContain("0\r\n\r\n", "failed", "HTTP/1.1 5", "HTTP/1.1 1");
    assertThat(fixture.request()).as("the second request").isNull();
  }
}
