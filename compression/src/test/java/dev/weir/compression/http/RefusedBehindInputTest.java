package dev.weir.compression.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpChunkedInput;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.stream.ChunkedStream;
import io.netty.handler.stream.ChunkedWriteHandler;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayInputStream;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The end of a response that is an input is made nearer to the wire. */
class RefusedBehindInputTest {
  private final RequestFixture fixture = new RequestFixture(RequestOptions.upTo(1 << 20));

  @AfterEach
  void nothingIsLive() {
    fixture.close();
  }

  @Test
  void aRefusalFollowsAResponseThatEndsWithAnInput() {
    fixture.channel.pipeline().addFirst(new ChunkedWriteHandler());
    fixture.send(/* coding= */ null, new byte[100], 100);
    assertThat(fixture.got().ended()).isTrue();
    fixture.channel.write(new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK));
    fixture.channel.writeAndFlush(
        new HttpChunkedInput(new ChunkedStream(new ByteArrayInputStream(new byte[20_000]))));
    fixture.send("unknown", new byte[100], 100);
    HttpObject part = fixture.channel.readOutbound();
    assertThat(((HttpResponse) part).status()).isEqualTo(HttpResponseStatus.OK);
    while (!(part instanceof LastHttpContent)) {
      part = fixture.channel.readOutbound();
      assertThat(part).as("the response is whole").isNotNull();
      ReferenceCountUtil.release(part);
    }
    assertThat(fixture.answer()).isEqualTo(415);
    fixture.channel.advanceTimeBy(1, TimeUnit.MINUTES);
    fixture.channel.runScheduledPendingTasks();
    assertThat(fixture.channel.isOpen()).isFalse();
  }
}
