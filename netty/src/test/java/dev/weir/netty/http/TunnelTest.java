package dev.weir.netty.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is HTTP no more has ends of its own. */
class TunnelTest {
  private final AggregatorFixture fixture = new AggregatorFixture(AggregatorOptions.upTo(500));

  @AfterEach
  void nothingIsHeld() {
    fixture.assertNothingHeld();
  }

  private void endInput() {
    fixture.channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
  }

  @ParameterizedTest
  @CsvSource({
    "GET, 101, false, true",
    "GET, 101, true, true",
    "CONNECT, 200, false, true",
    "CONNECT, 200, true, true",
    "CONNECT, 403, false, false",
    "CONNECT, 403, true, false"
  })
  void aClientThatEndsItsSideIsStillWrittenTo(
      String method, int status, boolean before, boolean open) {
    fixture.receive(method + " a:1 HTTP/1.1\r\n\r\n");
    fixture.request().release();
    if (before) {
      endInput();
    }
    fixture.channel.writeOutbound(
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(status), Unpooled.EMPTY_BUFFER));
    if (!before) {
      endInput();
    }
    assertThat(fixture.channel.isOpen()).isEqualTo(open);
  }
}
