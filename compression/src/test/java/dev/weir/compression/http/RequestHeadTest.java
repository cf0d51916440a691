package dev.weir.compression.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the head of a compressed request tells before any of its content comes. */
class RequestHeadTest {
  private static final RequestOptions OPTIONS = RequestOptions.upTo(1 << 20);

  private final RequestFixture fixture = new RequestFixture(OPTIONS);

  @AfterEach
  void nothingIsLive() {
    fixture.close();
  }

  private void head(String coding, Object length) {
    HttpRequest head = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/");
    head.headers()
        .set(HttpHeaderNames.CONTENT_ENCODING, coding)
        .set(HttpHeaderNames.CONTENT_LENGTH, length)
        .set(HttpHeaderNames.EXPECT, "100-continue");
    fixture.channel.writeInbound(head);
  }

  @Test
  void moreThanAnyContentTakesIsNotAskedFor() {
    head("gzip", OPTIONS.maxSourceBytes() + 1);
    assertThat(fixture.answer()).isEqualTo(413);
    assertThat(fixture.channel.<Object>readInbound()).isNull();
  }

  @Test
  void whatIsNoLengthIsNotAskedFor() {
    head("gzip", "many");
    assertThat(fixture.answer()).isEqualTo(400);
    assertThat(fixture.channel.<Object>readInbound()).isNull();
  }

  @Test
  void whatMayFitReachesTheApplication() {
    head("gzip", OPTIONS.maxSourceBytes());
    assertThat(fixture.answer()).isZero();
    assertThat(fixture.channel.<Object>readInbound()).isInstanceOf(HttpRequest.class);
  }

  @Test
  void whatIsNotCompressedIsNotJudged() {
    head("identity", OPTIONS.maxSourceBytes() + 1);
    assertThat(fixture.answer()).isZero();
    assertThat(fixture.channel.<Object>readInbound()).isInstanceOf(HttpRequest.class);
  }
}
