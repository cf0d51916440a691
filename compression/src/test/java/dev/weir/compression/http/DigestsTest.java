package dev.weir.compression.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.compression.ContentCoding;
import dev.weir.compression.Texts;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import org.junit.jupiter.api.Test;

/** What is said of a content byte by byte goes wherever the content becomes another. */
class DigestsTest {
  private static final String JSON = "application/json";
  private static final byte[] CONTENT = Texts.json(20_000, 1);
  private static final String[] DIGESTS = {
    "Content-Digest", "repr-digest", "Digest", "Content-MD5"
  };

  private static void fill(HttpHeaders fields) {
    for (String digest : DIGESTS) {
      fields.add(digest, "sha-256=:x:");
    }
    fields.add("x-sum", "1");
  }

  private static void assertGone(HttpHeaders fields) {
    for (String digest : DIGESTS) {
      assertThat(fields.contains(digest)).as(digest).isFalse();
    }
    assertThat(fields.get("x-sum")).isEqualTo("1");
  }

  private static void assertThere(HttpHeaders fields) {
    assertThat(fields.names()).hasSize(DIGESTS.length + 1);
  }

  private static HttpHeaders lastTrailers(ResponseFixture fixture) {
    HttpHeaders trailers = null;
    for (Object message = fixture.channel.readOutbound();
        message != null;
        message = fixture.channel.readOutbound()) {
      if (message instanceof LastHttpContent last) {
        trailers = last.trailingHeaders();
      }
      ReferenceCountUtil.release(message);
    }
    return trailers;
  }

  private static HttpHeaders trailersOfStreamed(ResponseFixture fixture, String coding) {
    fixture.request(coding);
    fixture.channel.write(fixture.head(JSON));
    fixture.channel.write(fixture.content(CONTENT, 0, CONTENT.length));
    LastHttpContent last = new DefaultLastHttpContent();
    fill(last.trailingHeaders());
    fixture.channel.writeOutbound(last);
    assertThere(last.trailingHeaders());
    return lastTrailers(fixture);
  }

  private static HttpHeaders trailersOfWhole(ResponseFixture fixture, String coding) {
    fixture.request(coding);
    FullHttpResponse whole = fixture.whole(CONTENT, JSON);
    fill(whole.trailingHeaders());
    fixture.channel.writeOutbound(whole);
    assertThere(whole.trailingHeaders());
    return lastTrailers(fixture);
  }

  @Test
  void trailersOfCompressedResponsesHaveNoDigests() {
    try (ResponseFixture fixture = new ResponseFixture()) {
      assertGone(trailersOfStreamed(fixture, "zstd"));
      assertGone(trailersOfWhole(fixture, "zstd"));
    }
  }

  @Test
  void trailersOfOtherResponsesKeepTheirDigests() {
    try (ResponseFixture fixture = new ResponseFixture()) {
      assertThere(trailersOfStreamed(fixture, "identity"));
      assertThere(trailersOfWhole(fixture, "identity"));
    }
  }

  private static void request(RequestFixture fixture, String coding, byte[] content) {
    HttpRequest head = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/");
    head.headers().set(HttpHeaderNames.CONTENT_ENCODING, coding);
    fill(head.headers());
    LastHttpContent last = new DefaultLastHttpContent();
    fill(last.trailingHeaders());
    fixture.channel.writeInbound(
        head, new DefaultHttpContent(Unpooled.wrappedBuffer(content)), last);
  }

  @Test
  void decompressedRequestsHaveNoDigests() {
    try (RequestFixture fixture = new RequestFixture(RequestOptions.upTo(1 << 20))) {
      request(fixture, "gzip", fixture.encode(ContentCoding.GZIP, CONTENT));
      assertGone(fixture.channel.<HttpRequest>readInbound().headers());
      fixture.channel.<HttpContent>readInbound().release();
      assertGone(fixture.channel.<LastHttpContent>readInbound().trailingHeaders());
    }
  }

  @Test
  void otherRequestsKeepTheirDigests() {
    try (RequestFixture fixture = new RequestFixture(RequestOptions.upTo(1 << 20))) {
      request(fixture, "identity", CONTENT);
      HttpHeaders headers = fixture.channel.<HttpRequest>readInbound().headers();
      assertThere(headers.copy().remove(HttpHeaderNames.CONTENT_ENCODING));
      fixture.channel.<HttpContent>readInbound().release();
      assertThere(fixture.channel.<LastHttpContent>readInbound().trailingHeaders());
    }
  }
}
