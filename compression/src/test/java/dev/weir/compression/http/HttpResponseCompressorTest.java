package dev.weir.compression.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.Zstd;
import dev.weir.compression.Texts;
import dev.weir.compression.http.ResponseFixture.Written;
import dev.weir.compression.zstd.EachZstd;
import dev.weir.memory.budget.Budget;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@EnumSource(EachZstd.class)
class HttpResponseCompressorTest {
  private static final String JSON = "application/json";
  private static final byte[] CONTENT = Texts.json(200_000, 1);

  private final ResponseFixture fixture;

  HttpResponseCompressorTest(EachZstd zstd) {
    fixture = new ResponseFixture(zstd.library());
  }

  @AfterEach
  void nothingIsLive() {
    fixture.close();
  }

  private Written whole(String accept, byte[] content, String type, Consumer<HttpResponse> change) {
    fixture.request(accept);
    FullHttpResponse response = fixture.whole(content, type);
    change.accept(response);
    fixture.channel.writeOutbound(response);
    return fixture.written();
  }

  private Written whole(String accept, byte[] content, String type) {
    return whole(accept, content, type, response -> {});
  }

  private void assertUntouched(Written written, byte[] content) {
    assertThat(written.header(HttpHeaderNames.CONTENT_ENCODING)).isNull();
    assertThat(written.header(HttpHeaderNames.CONTENT_LENGTH)).isEqualTo("" + content.length);
    assertThat(written.content()).isEqualTo(content);
    assertThat(written.ended()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"zstd", "br", "gzip"})
  void aWholeResponseKeepsALength(String token) {
    for (int bytes : new int[] {1_024, 20_000, 2_000_000}) {
      byte[] content = Texts.json(bytes, 2);
      Written written = whole(token, content, JSON);
      assertThat(written.header(HttpHeaderNames.CONTENT_ENCODING)).isEqualTo(token);
      assertThat(written.header(HttpHeaderNames.VARY)).isEqualToIgnoringCase("accept-encoding");
      assertThat(written.header(HttpHeaderNames.CONTENT_LENGTH))
          .isEqualTo("" + written.content().length);
      assertThat(written.header(HttpHeaderNames.TRANSFER_ENCODING)).isNull();
      assertThat(written.content().length).isLessThan(bytes / 2);
      assertThat(fixture.decoded(written)).isEqualTo(content);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"zstd", "br", "gzip"})
  void aStreamedResponseIsOneStream(String token) {
    fixture.request(token);
    fixture.channel.write(fixture.head(JSON));
    for (int at = 0; at < CONTENT.length; at += 1_000) {
      fixture.channel.write(fixture.content(CONTENT, at, 1_000));
    }
    var last = new DefaultLastHttpContent();
    last.trailingHeaders().set("x-trailer", "1");
    fixture.channel.writeOutbound(last);
    Written written = fixture.written();
    assertThat(written.header(HttpHeaderNames.TRANSFER_ENCODING)).isEqualTo("chunked");
    assertThat(written.header(HttpHeaderNames.CONTENT_LENGTH)).isNull();
    assertThat(fixture.decoded(written)).isEqualTo(CONTENT);
    assertThat(written.ended()).isTrue();
    if (token.equals("zstd")) {
      assertThat(Zstd.findFrameCompressedSize(written.content()))
          .isEqualTo(written.content().length);
      Written atOnce = whole(token, CONTENT, JSON);
      assertThat(written.content().length).isLessThan(atOnce.content().length * 101 / 100);
    }
  }

  @Test
  void buffersOfOutputAreBounded() {
    byte[] noise = Texts.noise(300_000, 3);
    fixture.request("zstd, identity;q=0");
    fixture.channel.writeOutbound(fixture.whole(noise, JSON));
    Object message = fixture.channel.readOutbound();
    int bytes = 0;
    while (message != null) {
      if (message instanceof io.netty.handler.codec.http.HttpContent content) {
        for (var part : (io.netty.buffer.CompositeByteBuf) content.content()) {
          assertThat(part.capacity()).isLessThanOrEqualTo(64 << 10);
        }
        bytes += content.content().readableBytes();
      }
      io.netty.util.ReferenceCountUtil.release(message);
      message = fixture.channel.readOutbound();
    }
    assertThat(bytes).isGreaterThan(noise.length);
  }

  @Test
  void aFlushSendsAllSoFar() {
    fixture.request("zstd");
    fixture.channel.writeOutbound(fixture.head("text/event-stream"));
    assertThat(fixture.channel.<Object>readOutbound()).isInstanceOf(HttpResponse.class);
    fixture.channel.write(fixture.content(CONTENT, 0, 100));
    fixture.channel.runPendingTasks();
    fixture.channel.flush();
    Written first = fixture.written();
    assertThat(first.content().length).isPositive();
    fixture.channel.flush();
    assertThat(fixture.channel.<Object>readOutbound()).isNull();
    fixture.channel.writeOutbound(LastHttpContent.EMPTY_LAST_CONTENT);
    assertThat(fixture.written().ended()).isTrue();
  }

  @Test
  void heapAndCompositeContentsAreCompressedToo() {
    for (var content :
        new io.netty.buffer.ByteBuf[] {
          Unpooled.wrappedBuffer(CONTENT),
          Unpooled.wrappedBuffer(
              fixture.allocator().directBuffer().writeBytes(CONTENT, 0, 100_000),
              Unpooled.wrappedBuffer(CONTENT, 100_000, 100_000))
        }) {
      fixture.request("zstd");
      var response =
          new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, content);
      response.headers().set(HttpHeaderNames.CONTENT_TYPE, JSON);
      fixture.channel.writeOutbound(response);
      assertThat(fixture.decoded(fixture.written())).isEqualTo(CONTENT);
    }
  }

  @Test
  void whatIsSaidOfTheContentIsMadeTrue() {
    Written written =
        whole(
            "zstd",
            CONTENT,
            JSON,
            response ->
                response
                    .headers()
                    .set(HttpHeaderNames.ETAG, "\"abc\"")
                    .set("content-digest", "sha-256=:x:")
                    .set(HttpHeaderNames.VARY, "origin"));
    assertThat(written.header(HttpHeaderNames.ETAG)).isEqualTo("W/\"abc\"");
    assertThat(written.header("content-digest")).isNull();
    assertThat(written.head().headers().getAll(HttpHeaderNames.VARY))
        .containsExactly("origin", "accept-encoding");
    fixture.decoded(written);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "content-encoding | identity-ish",
        "content-range | bytes 0-1/2",
        "cache-control | public, no-transform",
      })
  void whatMayNotBeTransformedIsNot(String name, String value) {
    assertUntouched(
        whole(
            "zstd",
            CONTENT,
            JSON,
            response -> {
              if (!name.equals("content-encoding")) {
                response.headers().set(name, value);
              } else {
                response.headers().set("cache-control", "no-transform");
              }
            }),
        CONTENT);
  }

  @Test
  void whatIsEncodedAlreadyStays() {
    Written written =
        whole(
            "zstd",
            CONTENT,
            JSON,
            response -> response.headers().set(HttpHeaderNames.CONTENT_ENCODING, "gzip"));
    assertThat(written.header(HttpHeaderNames.CONTENT_ENCODING)).isEqualTo("gzip");
    assertThat(written.content()).isEqualTo(CONTENT);
  }

  @Test
  void whatIsNotWorthItStays() {
    assertUntouched(whole("zstd", Texts.json(1_000, 1), JSON), Texts.json(1_000, 1));
    assertUntouched(whole("zstd", CONTENT, "image/png"), CONTENT);
    byte[] noise = Texts.noise(50_000, 4);
    Written written = whole("zstd", noise, JSON);
    assertUntouched(written, noise);
    assertThat(written.header(HttpHeaderNames.VARY)).isEqualToIgnoringCase("accept-encoding");
    assertUntouched(whole(null, CONTENT, JSON), CONTENT);
    assertUntouched(whole("identity", CONTENT, JSON), CONTENT);
  }

  @Test
  void aStreamThatIsNotWorthItStays() {
    byte[] noise = Texts.noise(50_000, 5);
    fixture.request("zstd");
    fixture.channel.write(fixture.head(JSON));
    fixture.channel.write(fixture.content(noise, 0, 50_000));
    fixture.channel.writeOutbound(LastHttpContent.EMPTY_LAST_CONTENT);
    Written written = fixture.written();
    assertThat(written.header(HttpHeaderNames.CONTENT_ENCODING)).isNull();
    assertThat(written.content()).isEqualTo(noise);
    fixture.request("zstd");
    fixture.channel.write(fixture.head(JSON));
    fixture.channel.writeOutbound(new DefaultLastHttpContent(Unpooled.copiedBuffer(new byte[100])));
    assertThat(fixture.written().header(HttpHeaderNames.CONTENT_ENCODING)).isNull();
  }

  @Test
  void aResponseWithoutContentStaysWithoutOne() {
    fixture.request("zstd");
    fixture.channel.writeOutbound(
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1, HttpResponseStatus.NO_CONTENT, Unpooled.EMPTY_BUFFER));
    Written written = fixture.written();
    assertThat(written.head().headers()).isEmpty();
    assertThat(written.content()).isEmpty();
  }

  @Test
  void informationalResponsesAreNotTheAnswer() {
    fixture.request("zstd");
    fixture.channel.writeOutbound(
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER));
    assertThat(fixture.written().head().status()).isEqualTo(HttpResponseStatus.CONTINUE);
    fixture.channel.writeOutbound(fixture.whole(CONTENT, JSON));
    assertThat(fixture.decoded(fixture.written())).isEqualTo(CONTENT);
  }

  @Test
  void aClientOfHttp10GetsNoChunks() {
    fixture.request(HttpMethod.GET, HttpVersion.HTTP_1_0, "gzip");
    fixture.channel.writeOutbound(fixture.whole(CONTENT, JSON));
    Written whole = fixture.written();
    assertThat(whole.header(HttpHeaderNames.CONTENT_ENCODING)).isEqualTo("gzip");
    fixture.request(HttpMethod.GET, HttpVersion.HTTP_1_0, "gzip");
    fixture.channel.write(fixture.head(JSON));
    fixture.channel.write(fixture.content(CONTENT, 0, 100_000));
    fixture.channel.writeOutbound(LastHttpContent.EMPTY_LAST_CONTENT);
    assertThat(fixture.written().header(HttpHeaderNames.CONTENT_ENCODING)).isNull();
    fixture.request(HttpMethod.GET, HttpVersion.HTTP_1_0, "gzip, identity;q=0");
    fixture.channel.write(fixture.head(JSON));
    fixture.channel.write(fixture.content(CONTENT, 0, 100_000));
    fixture.channel.writeOutbound(LastHttpContent.EMPTY_LAST_CONTENT);
    Written refused = fixture.written();
    assertThat(refused.head().status()).isEqualTo(HttpResponseStatus.NOT_ACCEPTABLE);
    assertThat(refused.content()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"identity;q=0, *;q=0", "deflate, identity;q=0", "*;q=0"})
  void aClientThatTakesNothingThereIsIsTold(String accept) {
    Written written = whole(accept, CONTENT, JSON);
    assertThat(written.head().status()).isEqualTo(HttpResponseStatus.NOT_ACCEPTABLE);
    assertThat(written.header(HttpHeaderNames.CONTENT_LENGTH)).isEqualTo("0");
    fixture.request(accept);
    fixture.channel.write(fixture.head(JSON));
    fixture.channel.write(fixture.content(CONTENT, 0, 1_000));
    fixture.channel.writeOutbound(LastHttpContent.EMPTY_LAST_CONTENT);
    written = fixture.written();
    assertThat(written.head().status()).isEqualTo(HttpResponseStatus.NOT_ACCEPTABLE);
    assertThat(fixture.channel.<Object>readOutbound()).isNull();
    assertUntouched(whole(null, CONTENT, JSON), CONTENT);
  }

  @ParameterizedTest
  @ValueSource(strings = {"*;q=0", "gzip, identity;q=0", "compress, identity;q=0"})
  void whoeverRefusesAContentAsItIsTakesNone(String accept) {
    assertUntouched(whole(accept, new byte[0], JSON), new byte[0]);
  }

  /** To send the request again would do once more what has been done. */
  @ParameterizedTest
  @ValueSource(strings = {"gzip, identity;q=0", "*;q=0"})
  void whatWasDoneIsToldAsItIsIfItCannotBeToldOtherwise(String accept) {
    fixture.memory.budget.setLimitBytes(1);
    for (String method : new String[] {"POST", "PUT", "DELETE", "PATCH", "UNKNOWN"}) {
      fixture.request(HttpMethod.valueOf(method), HttpVersion.HTTP_1_1, accept);
      fixture.channel.writeOutbound(
          fixture.whole(CONTENT, JSON).setStatus(HttpResponseStatus.CREATED));
      Written written = fixture.written();
      assertThat(written.head().status()).isEqualTo(HttpResponseStatus.CREATED);
      assertThat(written.content()).isEqualTo(CONTENT);
      assertThat(written.header(HttpHeaderNames.CONTENT_ENCODING)).isNull();
      assertThat(written.header(HttpHeaderNames.VARY)).isEqualToIgnoringCase("accept-encoding");
    }
  }

  /** To send the request again would not help. */
  @ParameterizedTest
  @ValueSource(ints = {303, 401, 409, 500})
  void withoutRoomAnErrorOfTheApplicationGoesAsItIs(int status) {
    fixture.memory.budget.setLimitBytes(1);
    HttpResponse head = fixture.head(JSON).setStatus(HttpResponseStatus.valueOf(status));
    fixture.request("gzip, identity;q=0");
    fixture.channel.writeOutbound(
        fixture.whole(CONTENT, JSON).setStatus(HttpResponseStatus.valueOf(status)));
    Written whole = fixture.written();
    fixture.request("gzip, identity;q=0");
    fixture.channel.write(head);
    fixture.channel.write(fixture.content(CONTENT, 0, CONTENT.length));
    fixture.channel.writeOutbound(LastHttpContent.EMPTY_LAST_CONTENT);
    for (Written written : new Written[] {whole, fixture.written()}) {
      assertThat(written.head().status().code()).isEqualTo(status);
      assertThat(written.header(HttpHeaderNames.CONTENT_ENCODING)).isNull();
      assertThat(written.header(HttpHeaderNames.RETRY_AFTER)).isNull();
      assertThat(written.content()).isEqualTo(CONTENT);
    }
  }

  @Test
  void whatComesIsChargedAsTheGivenAllocatorCharges() {
    Budget output = fixture.memory.pool.rootBudget().child("output", Budget.UNLIMITED);
    EmbeddedChannel channel = new EmbeddedChannel();
    channel
        .pipeline()
        .addLast(
            new HttpResponseCompressor(
                fixture.compression,
                ResponseOptions.DEFAULT,
                () -> fixture.memory.allocator.charging(output)));
    var request = new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/");
    request.headers().set(HttpHeaderNames.ACCEPT_ENCODING, "zstd");
    channel.writeInbound(request);
    channel.releaseInbound();
    channel.writeOutbound(fixture.whole(CONTENT, JSON));
    assertThat(output.chargedBytes()).isPositive();
    channel.finishAndReleaseAll();
    assertThat(output.chargedBytes()).isZero();
    output.close();
  }

  @Test
  void aClientThatRefusesIdentityGetsEvenTheShortAndTheNoisy() {
    byte[] noise = Texts.noise(100, 6);
    Written written = whole("gzip, identity;q=0", noise, "image/png");
    assertThat(written.header(HttpHeaderNames.CONTENT_ENCODING)).isEqualTo("gzip");
    assertThat(fixture.decoded(written)).isEqualTo(noise);
  }

  @Test
  void pipelinedRequestsGetWhatEachAccepts() {
    fixture.request("zstd");
    fixture.request(null);
    fixture.request("gzip");
    for (String token : new String[] {"zstd", null, "gzip"}) {
      fixture.channel.writeOutbound(fixture.whole(CONTENT, JSON));
      Written written = fixture.written();
      assertThat(written.header(HttpHeaderNames.CONTENT_ENCODING)).isEqualTo(token);
      assertThat(fixture.decoded(written)).isEqualTo(CONTENT);
    }
  }

  @Test
  void underPressureContextsAreSmallerAndThenThereAreNone() {
    fixture.memory.budget.setLimitBytes(16 << 20);
    fixture.memory.budget.setSoftLimitBytes(0);
    Written reduced = whole("zstd", CONTENT, JSON);
    assertThat(reduced.header(HttpHeaderNames.CONTENT_ENCODING)).isEqualTo("zstd");
    assertThat(fixture.compression.idleBytes()).isLessThan(1 << 20);
    fixture.compression.destroyIdle(Long.MAX_VALUE);
    fixture.memory.budget.setLimitBytes(1 << 10);
    assertUntouched(whole("zstd", CONTENT, JSON), CONTENT);
    Written refused = whole("zstd, identity;q=0", CONTENT, JSON);
    assertThat(refused.head().status()).isEqualTo(HttpResponseStatus.SERVICE_UNAVAILABLE);
    assertThat(refused.header(HttpHeaderNames.RETRY_AFTER)).isEqualTo("1");
  }
}
