package dev.weir.netty.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.flow.ReadHolds;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A connection has so long for the head of its next request, and then it ends. */
class HeadWatchTest {
  private static final String HEAD = "GET /a HTTP/1.1\r\nHost: weir\r\n\r\n";

  private final AggregatorFixture fixture =
      new AggregatorFixture(
          AggregatorOptions.upTo(500)
              .withIdleTimeout(Duration.ofSeconds(30))
              .withStallTimeout(AggregatorFixture.LONG));

  @BeforeEach
  void freeze() {
    fixture.channel.freezeTime();
  }

  @AfterEach
  void nothingIsHeld() {
    fixture.assertNothingHeld();
  }

  @Test
  void aHeadThatComesByteByByteIsRefused() {
    for (int i = 0; i < 29; i++) {
      fixture.receive(HEAD.substring(i, i + 1));
      pass(1);
      assertThat(fixture.written()).isEmpty();
    }
    pass(1);
    assertThat(fixture.written())
        .startsWith("HTTP/1.1 408 ")
        .contains("connection: close")
        .endsWith("the headers were not complete within PT30S\n");
    fixture.receive(HEAD.substring(29));
    assertThat(fixture.request()).isNull();
    pass(2);
    assertThat(fixture.channel.isOpen()).isFalse();
  }

  @Test
  void whoSendsNothingIsClosed() {
    assertEndsIn(30);
    assertThat(fixture.written()).isEmpty();
  }

  @Test
  void theTimeBeginsAnewWithEachAnswer() {
    for (int i = 0; i < 3; i++) {
      pass(29);
      exchange();
    }
    assertEndsIn(30);
    assertThat(fixture.written()).isEmpty();
  }

  /** In any phase of it, and however long: neither the client nor the application is idle. */
  @Test
  void aRequestUnderWayTakesItsTime() {
    fixture.receive("POST /a HTTP/1.1\r\nContent-Length: 2\r\n\r\n1");
    pass(100);
    fixture.receive("2");
    fixture.request().release();
    pass(100);
    fixture.answer();
    assertThat(fixture.written()).startsWith("HTTP/1.1 204");
    assertEndsIn(30);
  }

  @Test
  void theTimeBeginsWhenTheAnswerHasBeenTaken() {
    SlowWrites slow = new SlowWrites();
    fixture.channel.pipeline().addFirst(slow);
    exchange();
    pass(100);
    slow.last.setSuccess();
    assertEndsIn(30);
  }

  private static final class SlowWrites extends ChannelOutboundHandlerAdapter {
    private ChannelPromise last;

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
      last = promise;
      ctx.write(message);
    }
  }

  /** After 30 s in which it was read. */
  @Test
  void timeInWhichTheChannelIsNotReadIsNotTheClients() {
    ReadHolds holds = ReadHolds.of(fixture.channel);
    pass(10);
    holds.hold(ReadHolds.Reason.PRESSURE);
    pass(15);
    holds.release(ReadHolds.Reason.PRESSURE);
    assertEndsIn(20);
  }

  @Test
  void aChannelThatIsNotReadFromDoesNotEnd() {
    ReadHolds holds = ReadHolds.of(fixture.channel);
    holds.hold(ReadHolds.Reason.PRESSURE);
    pass(1_000);
    assertThat(fixture.channel.isOpen()).isTrue();
    holds.release(ReadHolds.Reason.PRESSURE);
    exchange();
    assertEndsIn(30);
  }

  /** As a handshake does, or a header of a proxy: no head has begun. */
  @Test
  void whatIsNoHeadIsNotAnswered() {
    fixture.channel.pipeline().fireUserEventTriggered("a handshake");
    fixture.channel.pipeline().fireChannelReadComplete();
    assertEndsIn(30);
    assertThat(fixture.written()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"101 GET", "200 CONNECT"})
  void whatIsHttpNoMoreIsNotWatched(String exchange) {
    String[] parts = exchange.split(" ");
    fixture.receive(parts[1] + " a:1 HTTP/1.1\r\n\r\n");
    fixture.request().release();
    answer(HttpResponseStatus.valueOf(Integer.parseInt(parts[0])));
    pass(1_000);
    assertThat(fixture.channel.isOpen()).isTrue();
  }

  @Test
  void whoIsRefusedATunnelIsWatched() {
    fixture.receive("CONNECT a:1 HTTP/1.1\r\n\r\n");
    fixture.request().release();
    answer(HttpResponseStatus.METHOD_NOT_ALLOWED);
    assertEndsIn(30);
  }

  @Test
  void aHandlerThatHasLeftWatchesNothing() {
    fixture.channel.pipeline().remove(fixture.aggregator);
    pass(1_000);
    assertThat(fixture.channel.isOpen()).isTrue();
  }

  private void answer(HttpResponseStatus status) {
    fixture.channel.writeOutbound(
        new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, Unpooled.EMPTY_BUFFER));
    assertThat(fixture.written()).startsWith("HTTP/1.1 " + status.code());
  }

  private void exchange() {
    fixture.receive(HEAD);
    fixture.request().release();
    answer(HttpResponseStatus.NO_CONTENT);
  }

  private void assertEndsIn(int seconds) {
    pass(seconds - 1);
    assertThat(fixture.channel.isOpen()).isTrue();
    pass(1);
    assertThat(fixture.channel.isOpen()).isFalse();
  }

  private void pass(int seconds) {
    fixture.channel.advanceTimeBy(seconds, TimeUnit.SECONDS);
    fixture.channel.runPendingTasks();
  }
}
