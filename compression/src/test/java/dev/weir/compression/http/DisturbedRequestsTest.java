package dev.weir.compression.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.compression.ContentCoding;
import dev.weir.compression.Texts;
import dev.weir.compression.http.RequestFixture.Got;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What comes, and goes, between the parts of requests. */
class DisturbedRequestsTest {
  private final RequestFixture fixture = new RequestFixture(RequestOptions.upTo(1 << 20));

  @AfterEach
  void nothingIsHeld() {
    fixture.close();
  }

  @ParameterizedTest
  @EnumSource
  void aMessageOfAnotherHandlersLeavesTheContentAlone(ContentCoding coding) {
    byte[] content = Texts.json(100_000, 1);
    byte[] stream = fixture.encode(coding, content);
    int half = stream.length / 2;
    fixture.head(coding.token());
    fixture.content(stream, 0, half);
    fixture.channel.writeInbound("something else");
    fixture.content(stream, half, stream.length - half);
    fixture.end();
    assertThat(fixture.channel.inboundMessages()).contains("something else");
    Got got = fixture.got();
    assertThat(got.ended()).isTrue();
    assertThat(got.content()).isEqualTo(content);
  }

  /** The refusal waits for the answer to the request before it, or has been given. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRefusalIsNotForgottenWithTheHandler(boolean answered) {
    if (!answered) {
      fixture.send(/* coding= */ null, Texts.json(100, 1), 1_000);
      fixture.got();
    }
    fixture.head("zstd");
    fixture.content(Texts.noise(1_000, 1), 0, 1_000);
    fixture.got();
    assertThat(fixture.answer()).isEqualTo(answered ? 400 : 0);
    assertThat(fixture.channel.isOpen()).isTrue();
    fixture.channel.pipeline().remove(HttpRequestDecompressor.class);
    assertThat(fixture.channel.isOpen()).isFalse();
    assertThat(fixture.channel.inboundMessages()).isEmpty();
  }

  /** The codec refuses the second end; the refusal of the third request is not to the second. */
  @Test
  void anEndThatIsWrittenTwiceIsOneEnd() {
    fixture.channel.pipeline().addFirst(new HttpServerCodec());
    String plain = "POST / HTTP/1.1\r\ncontent-length: 2\r\n\r\nhi";
    String refused = "POST / HTTP/1.1\r\ncontent-encoding: no\r\ncontent-length: 2\r\n\r\nhi";
    fixture.channel.writeInbound(
        Unpooled.copiedBuffer(plain + plain + refused, StandardCharsets.US_ASCII));
    HttpResponse ok = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
    ok.headers().set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
    fixture.channel.write(ok);
    fixture.channel.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
    ChannelFuture again = fixture.channel.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
    assertThat(again.isSuccess()).isFalse();
    FullHttpResponse accepted =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1, HttpResponseStatus.ACCEPTED, Unpooled.EMPTY_BUFFER);
    accepted.headers().set(HttpHeaderNames.CONTENT_LENGTH, HttpHeaderValues.ZERO);
    ChannelFuture second = fixture.channel.writeAndFlush(accepted);
    fixture.channel.runPendingTasks();
    StringBuilder wire = new StringBuilder();
    for (ByteBuf next = fixture.channel.readOutbound();
        next != null;
        next = fixture.channel.readOutbound()) {
      wire.append(next.toString(StandardCharsets.US_ASCII));
      next.release();
    }
    assertThat(second.isSuccess()).isTrue();
    assertThat(wire).containsSubsequence("HTTP/1.1 200", "HTTP/1.1 202", "HTTP/1.1 415");
  }
}
