package dev.weir.netty.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.nio.channels.ClosedChannelException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A response that does not come on the wire: what follows would be taken for it by the client, so
 * the connection ends, and the next request is not passed on.
 */
class LostResponseTest {
  private static final String TWO = "GET /a HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\n";

  private final AggregatorFixture fixture = AggregatorFixture.upTo(500);

  @AfterEach
  void nothingIsHeld() {
    fixture.assertNothingHeld();
  }

  @Test
  void itEndsTheConnection() {
    lose();
    ChannelFuture sent = fixture.channel.writeAndFlush(response());
    assertThat(sent.cause()).isInstanceOf(OutOfMemoryError.class);
    assertThatItHasEnded();
  }

  /** The encoder refuses what comes behind it. */
  @Test
  void soDoesItsHead() {
    lose();
    fixture.channel.write(
        new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.NO_CONTENT));
    ChannelFuture sent = fixture.channel.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
    assertThat(sent.cause()).isNotNull();
    assertThatItHasEnded();
  }

  /** The client gets that, and knows by the end of the connection that nothing else comes. */
  @Test
  void anotherInItsPlaceMayGoIfItIsWrittenAtOnce() {
    lose();
    ChannelPromise told = fixture.channel.newPromise();
    told.addListener(lost -> {
      fixture.channel.pipeline().remove(LosesHeads.class);
      fixture.channel.writeAndFlush(response(HttpResponseStatus.SERVICE_UNAVAILABLE));
    });
    fixture.channel.write(response(), told);
    assertThatItHasEnded();
    assertThat(fixture.written()).startsWith("HTTP/1.1 503").doesNotContain("HTTP/1.1 200");
  }

  /** As one that has been cancelled; the next was given its turn when it had been written. */
  @Test
  void soDoesOneThatIsLostLater() {
    fixture.receive(TWO);
    fixture.request().release();
    ChannelFuture sent = fixture.channel.write(response());
    fixture.channel.runPendingTasks();
    fixture.request().release();
    assertThat(fixture.channel.isOpen()).isTrue();

    assertThat(sent.cancel(false)).isTrue();
    ChannelFuture next = fixture.channel.writeAndFlush(response());

    assertThat(next.cause()).isInstanceOf(ClosedChannelException.class);
    assertThatItHasEnded();
    assertThat(fixture.written()).isEmpty();
  }

  private static FullHttpResponse response() {
    return response(HttpResponseStatus.OK);
  }

  private static FullHttpResponse response(HttpResponseStatus status) {
    return new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, Unpooled.EMPTY_BUFFER);
  }

  private void lose() {
    fixture.channel.pipeline().addAfter("HttpServerCodec#0", "loses", new LosesHeads());
    fixture.receive(TWO);
    fixture.request().release();
  }

  private void assertThatItHasEnded() {
    fixture.channel.runPendingTasks();
    FullHttpRequest next = fixture.request();
    assertThat(next).isNull();
    assertThat(fixture.channel.isOpen()).isFalse();
  }

  private static final class LosesHeads extends ChannelOutboundHandlerAdapter {
    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
      if (message instanceof HttpResponse) {
        ReferenceCountUtil.release(message);
        promise.setFailure(new OutOfMemoryError("no room for a head"));
      } else {
        ctx.write(message, promise);
      }
    }
  }
}
