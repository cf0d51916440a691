package dev.weir.compression.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.compression.http.ResponseFixture.Written;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Responses to {@code HEAD} and {@code 304}s say what the response with a content would. */
class HeadsWithoutContentTest {
  private static final String JSON = "application/json";

  private final ResponseFixture fixture = new ResponseFixture();

  @AfterEach
  void nothingIsLive() {
    fixture.close();
  }

  private Written head(String accept, String type, boolean whole) {
    return head(HttpVersion.HTTP_1_1, accept, type, whole);
  }

  private Written head(HttpVersion version, String accept, String type, boolean whole) {
    fixture.request(HttpMethod.HEAD, version, accept);
    HttpResponse head = whole ? fixture.whole(new byte[0], type) : fixture.head(type);
    head.headers().remove(HttpHeaderNames.TRANSFER_ENCODING);
    head.headers()
        .set(HttpHeaderNames.CONTENT_LENGTH, 100_000)
        .set(HttpHeaderNames.ETAG, "\"x\"")
        .set("content-md5", "abc")
        .set("repr-digest", "sha-256=:abc:");
    fixture.channel.write(head);
    if (!whole) {
      fixture.channel.write(LastHttpContent.EMPTY_LAST_CONTENT);
    }
    fixture.channel.flush();
    return fixture.written();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aHeadIsThatOfTheCompressedResponse(boolean whole) {
    Written written = head("zstd", JSON, whole);
    assertThat(written.header(HttpHeaderNames.CONTENT_ENCODING)).isEqualTo("zstd");
    assertThat(written.header(HttpHeaderNames.CONTENT_LENGTH)).isNull();
    assertThat(written.header(HttpHeaderNames.ETAG)).isEqualTo("W/\"x\"");
    assertThat(written.header(HttpHeaderNames.VARY)).isEqualToIgnoringCase("accept-encoding");
    assertThat(written.header("content-md5")).isNull();
    assertThat(written.header("repr-digest")).isNull();
    assertThat(written.content()).isEmpty();
  }

  /** Who does not understand chunks gets what comes in parts as it is, and hears the same of it. */
  @Test
  void aHeadOfHttp10IsThatOfWhatItWouldGet() {
    Written streamed = head(HttpVersion.HTTP_1_0, "gzip", JSON, /* whole= */ false);
    assertThat(streamed.header(HttpHeaderNames.CONTENT_ENCODING)).isNull();
    assertThat(streamed.header(HttpHeaderNames.CONTENT_LENGTH)).isEqualTo("100000");
    assertThat(streamed.header(HttpHeaderNames.VARY)).isEqualToIgnoringCase("accept-encoding");
    Written whole = head(HttpVersion.HTTP_1_0, "gzip", JSON, /* whole= */ true);
    assertThat(whole.header(HttpHeaderNames.CONTENT_ENCODING)).isEqualTo("gzip");
  }

  @ParameterizedTest
  @CsvSource({"identity, application/json, true", "zstd, image/png, false"})
  void aHeadOfWhatIsNotCompressedStays(String accept, String type, boolean varies) {
    Written written = head(accept, type, /* whole= */ false);
    assertThat(written.header(HttpHeaderNames.CONTENT_ENCODING)).isNull();
    assertThat(written.header(HttpHeaderNames.CONTENT_LENGTH)).isEqualTo("100000");
    assertThat(written.header(HttpHeaderNames.ETAG)).isEqualTo("\"x\"");
    assertThat(written.header("content-md5")).isEqualTo("abc");
    assertThat(written.head().headers().contains(HttpHeaderNames.VARY)).isEqualTo(varies);
  }

  /** A type, the client's tag, and what becomes of the application's, which is strong. */
  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '\'',
      nullValues = "-",
      value = {
        "zstd,     application/json, W/\"x\", W/\"x\", true",
        "zstd,     -,                W/\"x\", W/\"x\", true",
        "zstd,     -,                \"x\",   \"x\",   true",
        "zstd,     -,                -,       W/\"x\", true",
        "zstd,     image/png,        -,       \"x\",   false",
        "zstd,     image/png,        \"x\",   \"x\",   false",
        "identity, application/json, \"x\",   \"x\",   true",
        "identity, -,                \"x\",   \"x\",   true",
        "-,        -,                \"x\",   \"x\",   true",
      })
  void aContentThatIsNotModifiedKeepsItsTag(
      String accept, String type, String has, String tag, boolean varies) {
    var request = new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/");
    if (accept != null) {
      request.headers().set(HttpHeaderNames.ACCEPT_ENCODING, accept);
    }
    if (has != null) {
      request.headers().set(HttpHeaderNames.IF_NONE_MATCH, has);
    }
    fixture.channel.writeInbound(request);
    ReferenceCountUtil.release(fixture.channel.readInbound());
    FullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1, HttpResponseStatus.NOT_MODIFIED, Unpooled.EMPTY_BUFFER);
    response.headers().set(HttpHeaderNames.ETAG, "\"x\"");
    if (type != null) {
      response.headers().set(HttpHeaderNames.CONTENT_TYPE, type);
    }
    fixture.channel.writeOutbound(response);
    Written written = fixture.written();
    assertThat(written.header(HttpHeaderNames.ETAG)).isEqualTo(tag);
    assertThat(written.header(HttpHeaderNames.CONTENT_ENCODING)).isNull();
    assertThat(written.head().headers().contains(HttpHeaderNames.VARY)).isEqualTo(varies);
  }

  @Test
  void tagsAreReadWhateverIsInThem() {
    assertThat(tags()).isEqualTo(AskedTags.UNKNOWN);
    assertThat(tags("*")).isEqualTo(AskedTags.UNKNOWN);
    assertThat(tags("\"a, W/b\"", "\"\"")).isEqualTo(AskedTags.STRONG);
    assertThat(tags("W/\"a\", W/\"b,\"")).isEqualTo(AskedTags.WEAK);
    assertThat(tags("W/\"a\"", "\"a\"")).isEqualTo(AskedTags.UNKNOWN);
    assertThat(tags("W/\"")).isEqualTo(AskedTags.WEAK);
  }

  private static AskedTags tags(String... values) {
    List<String> list = Arrays.asList(values);
    return AskedTags.parse(list);
  }
}
