package dev.weir.netty.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.write.OutboundClosing;
import dev.weir.netty.write.WriteGate;
import dev.weir.netty.write.WriteGateOptions;
import dev.weir.netty.write.WriteRefusedException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.stream.ChunkedStream;
import io.netty.handler.stream.ChunkedWriteHandler;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayInputStream;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A response of which a part does not come on the wire: the client would take it for whole, or what
 * follows for its rest, so the connection ends, and the next request is not passed on.
 */
class LostResponseTest {
  private static final String TWO = "GET /a HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\n";

  private final AggregatorFixture fixture = AggregatorFixture.upTo(500);

  @AfterEach
  void nothingIsHeld() {
    fixture.assertNothingHeld();
  }

  @Test
  void aLostResponseEndsTheConnection() {
    lose();
    ChannelFuture sent = fixture.channel.writeAndFlush(response());
    assertThat(sent.cause()).isInstanceOf(OutOfMemoryError.class);
    assertThatItHasEnded();
  }

  /** The encoder refuses what comes behind it. */
  @Test
  void aLostHeadEndsTheConnection() {
    lose();
    fixture.channel.write(
        new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.NO_CONTENT));
    ChannelFuture sent = fixture.channel.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
    assertThat(sent.cause()).isNotNull();
    assertThatItHasEnded();
  }

  /** Nobody can tell what of the first is on the wire: the client would take it for its rest. */
  @Test
  void noOtherResponseGoesInThePlaceOfALostOne() {
    lose();
    ChannelPromise told = fixture.channel.newPromise();
    told.addListener(lost -> {
      fixture.channel.pipeline().remove(Loses.class);
      fixture.channel.writeAndFlush(response(HttpResponseStatus.SERVICE_UNAVAILABLE));
    });
    fixture.channel.write(response(), told);
    assertThatItHasEnded();
    assertThat(fixture.written()).isEmpty();
  }

  /** The client would take what is left for the whole. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aResponseWithAHoleEndsTheConnection(boolean isListenedTo) {
    lose(HttpContent.class);
    receive();
    fixture.channel.writeAndFlush(
        new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, chunked()));
    ChannelPromise told = fixture.channel.newPromise();
    if (isListenedTo) {
      told.addListener(lost -> writeEnd());
    }
    ChannelFuture part = fixture.channel.writeAndFlush(content(), told);
    assertThat(part.cause()).isInstanceOf(OutOfMemoryError.class);
    ChannelFuture end = writeEnd();
    assertThat(end.cause()).isInstanceOf(ClosedChannelException.class);
    assertThatItHasEnded();
    assertThat(fixture.written()).startsWith("HTTP/1.1 200 OK").endsWith("\r\n\r\n");
  }

  @Test
  void aHoleThatIsMadeLaterEndsTheConnection() {
    LosesLater loses = loseLater(HttpContent.class);
    receive();
    fixture.channel.write(
        new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, chunked()));
    fixture.channel.write(content());
    loses.lose();
    ChannelFuture end = writeEnd();
    assertThat(end.cause()).isInstanceOf(ClosedChannelException.class);
    assertThatItHasEnded();
    assertThat(fixture.written()).doesNotContain("0\r\n\r\n");
  }

  /** Netty tells listeners in the order in which they came. */
  @Test
  void whoeverListenedBeforeItWasWrittenWritesNothingBehindIt() {
    LosesLater loses = loseLater(HttpContent.class);
    receive();
    ChannelPipeline pipeline = fixture.channel.pipeline(); // Runs no tasks in between.
    pipeline.write(new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, chunked()));
    ChannelPromise told = fixture.channel.newPromise();
    List<ChannelFuture> ends = new ArrayList<>();
    told.addListener(lost -> ends.add(pipeline.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT)));
    pipeline.write(content(), told);
    pipeline.write(content());
    loses.lose();
    assertThat(told.cause()).isInstanceOf(OutOfMemoryError.class);
    assertThat(ends).singleElement().satisfies(end -> assertThat(end.isSuccess()).isFalse());
    assertThatItHasEnded();
    assertThat(fixture.written()).doesNotContain("part");
  }

  /** The end is on its way already, and leaves with the same flush. */
  @Test
  void whatWasWrittenBehindAPartThatIsLostLaterDoesNotLeave() {
    LosesLater loses = loseLater(HttpContent.class);
    receive();
    HttpHeaders eight = new DefaultHttpHeaders().set(HttpHeaderNames.CONTENT_LENGTH, 8);
    ChannelPipeline pipeline = fixture.channel.pipeline(); // Runs no tasks in between.
    pipeline.write(new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, eight));
    pipeline.write(content());
    pipeline.write(
        new DefaultLastHttpContent(Unpooled.copiedBuffer("last", StandardCharsets.US_ASCII)));
    loses.lose();
    pipeline.flush();
    assertThatItHasEnded();
    assertThat(fixture.written()).isEmpty();
  }

  /** A handler that splits what it is given goes on with what is behind it. */
  @Test
  void whatWaitsInAHandlerNearerToTheWireDoesNotLeaveBehindALoss() {
    add(new ChunkedWriteHandler());
    fixture.receive("GET / HTTP/1.1\r\n\r\n");
    fixture.request().release();
    lose(ByteBuf.class);
    ChannelPipeline pipeline = fixture.channel.pipeline(); // Runs no tasks in between.
    pipeline.write(new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, chunked()));
    pipeline.write(new ChunkedStream(new ByteArrayInputStream(new byte[100])));
    pipeline.write(LastHttpContent.EMPTY_LAST_CONTENT);
    pipeline.flush();
    assertThatItHasEnded();
    assertThat(fixture.written()).startsWith("HTTP/1.1 200 OK").endsWith("\r\n\r\n");
  }

  /** The application hears in the middle of a write that is lost that it cannot write any more. */
  @Test
  void anEndThatIsWrittenWithinALostWriteDoesNotLeave() {
    receive();
    add(
        new Loses(HttpContent.class) {
          @Override
          void lose(ChannelHandlerContext ctx) {
            ctx.fireChannelWritabilityChanged();
          }
        });
    writeEndWhenWritabilityChanges();
    ChannelPipeline pipeline = fixture.channel.pipeline();
    pipeline.write(new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, chunked()));
    pipeline.write(content());
    assertThatItHasEnded();
    assertThat(fixture.written()).doesNotContain("0\r\n\r\n");
  }

  /** As a gate does, which has room again. */
  @Test
  void anEndThatIsWrittenAsAHandlerNearerToTheWireHearsOfALossDoesNotLeave() {
    LosesLater loses = loseLater(HttpContent.class);
    fixture
        .channel
        .pipeline()
        .addBefore(
            fixture.channel.pipeline().context(fixture.aggregator).name(),
            /* name= */ null,
            new ChannelOutboundHandlerAdapter() {
              @Override
              public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
                ctx.write(message, promise)
                    .addListener(sent -> ctx.fireChannelWritabilityChanged());
              }
            });
    receive();
    ChannelPipeline pipeline = fixture.channel.pipeline();
    pipeline.write(new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, chunked()));
    pipeline.write(content());
    pipeline.write(content());
    writeEndWhenWritabilityChanges();
    loses.lose();
    pipeline.flush();
    assertThatItHasEnded();
    assertThat(fixture.written()).isEmpty();
  }

  private void writeEndWhenWritabilityChanges() {
    fixture
        .channel
        .pipeline()
        .addLast(
            new ChannelInboundHandlerAdapter() {
              @Override
              public void channelWritabilityChanged(ChannelHandlerContext ctx) {
                ctx.write(LastHttpContent.EMPTY_LAST_CONTENT);
              }
            });
  }

  /** It ends the connection in the middle of a write, and whoever is nearer to the wire waits. */
  @Test
  void theNextRequestIsNotPassedOnWhereAPartIsLostWhileTheEndIsWritten() {
    LosesLater loses = loseLater(HttpContent.class);
    ChannelHandler closesLater =
        new ChannelOutboundHandlerAdapter() {
          @Override
          public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
            if (message instanceof LastHttpContent) {
              loses.lose();
            }
            ctx.write(message, promise);
          }

          @Override
          public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
            // As one that waits for the peer to say that it has heard of it.
          }
        };
    add(closesLater);
    receive();
    ChannelPipeline pipeline = fixture.channel.pipeline();
    pipeline.write(new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, chunked()));
    pipeline.write(content());
    pipeline.write(LastHttpContent.EMPTY_LAST_CONTENT);
    fixture.channel.runPendingTasks();
    FullHttpRequest next = fixture.request();
    assertThat(next).isNull();
    fixture.channel.pipeline().remove(closesLater);
  }

  /** Nobody else would end it. */
  @Test
  void oneThatIsLostBehindARemovedHandlerEndsTheConnectionToo() {
    LosesLater loses = loseLater(HttpResponse.class);
    receive();
    fixture.channel.pipeline().write(response());
    fixture.channel.pipeline().remove(fixture.aggregator);
    loses.lose();
    assertThatItHasEnded();
  }

  /** The response before it is whole. */
  @Test
  void whatWasWrittenBeforeItLeaves() {
    receive();
    fixture.channel.write(response(HttpResponseStatus.NO_CONTENT));
    fixture.channel.runPendingTasks();
    fixture.request().release();
    add(new Loses(HttpResponse.class));
    fixture.channel.write(response());
    assertThatItHasEnded();
    assertThat(fixture.written()).startsWith("HTTP/1.1 204").doesNotContain("200");
  }

  /** Neither the handler that loses it nor its promise find Java heap to tell of it. */
  @Test
  void aLossThatNobodyTellsOfEndsTheConnection() {
    receive();
    add(
        new ChannelOutboundHandlerAdapter() {
          @Override
          public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
            ReferenceCountUtil.release(message);
            throw new OutOfMemoryError("made by the test");
          }
        });
    ChannelPromise undelivered =
        new DefaultChannelPromise(fixture.channel) {
          private boolean failed;

          @Override
          public boolean tryFailure(Throwable cause) {
            if (!failed) {
              failed = true;
              throw new OutOfMemoryError("made by the test");
            }
            return super.tryFailure(cause);
          }
        };
    fixture.channel.writeAndFlush(response(), undelivered);
    assertThatItHasEnded();
  }

  /** Nothing of a response is missing for want of it. */
  @Test
  void aLostInterimResponseEndsNothing() {
    lose();
    ChannelFuture hint =
        fixture.channel.write(
            new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, HttpResponseStatus.EARLY_HINTS, Unpooled.EMPTY_BUFFER));
    assertThat(hint.cause()).isInstanceOf(OutOfMemoryError.class);
    fixture.channel.pipeline().remove(Loses.class);
    fixture.answer();
    FullHttpRequest next = fixture.request();
    assertThat(next).isNotNull();
    next.release();
    assertThat(fixture.written()).startsWith("HTTP/1.1 204");
  }

  /** A handler that answers whatever goes wrong, and hears of that only by an exception. */
  @Test
  void whoeverIsToldByAnExceptionMayWriteAgain() {
    lose();
    ChannelHandler closesLater = closesLater();
    add(closesLater);
    List<Throwable> heard = new ArrayList<>();
    fixture
        .channel
        .pipeline()
        .addLast(
            new ChannelInboundHandlerAdapter() {
              @Override
              public void exceptionCaught(ChannelHandlerContext ctx, Throwable failure) {
                heard.add(failure);
                ctx.writeAndFlush(response(), ctx.voidPromise());
              }
            });
    ChannelPipeline pipeline = fixture.channel.pipeline();
    pipeline.write(response(), pipeline.voidPromise());
    assertThat(heard).hasSize(2).first().isInstanceOf(OutOfMemoryError.class);
    assertThat(heard).last().isInstanceOf(ClosedChannelException.class);
    pipeline.remove(closesLater);
    fixture.channel.close();
    assertThatItHasEnded();
  }

  /** As one that waits for the peer to say that it has heard of it. */
  private static ChannelHandler closesLater() {
    return new ChannelOutboundHandlerAdapter() {
      @Override
      public void close(ChannelHandlerContext ctx, ChannelPromise promise) {}
    };
  }

  /** The next was given its turn when it had been written. */
  @Test
  void aResponseThatIsLostAfterTheNextRequestWasPassedOnEndsTheConnection() {
    LosesLater loses = loseLater(HttpResponse.class);
    receive();
    fixture.channel.write(response());
    fixture.channel.runPendingTasks();
    fixture.request().release();
    assertThat(fixture.channel.isOpen()).isTrue();

    loses.lose();
    ChannelFuture next = fixture.channel.writeAndFlush(response());

    assertThat(next.cause()).isInstanceOf(ClosedChannelException.class);
    assertThatItHasEnded();
    assertThat(fixture.written()).isEmpty();
  }

  /** Whoever cancelled a part would make a hole that nobody hears of before a flush. */
  @Test
  void aPartCannotBeCancelled() {
    receive();
    fixture.channel.write(
        new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, chunked()));
    ChannelFuture part = fixture.channel.write(content());
    assertThat(part.cancel(false)).isFalse();
    assertThat(writeEnd().isSuccess()).isTrue();
    assertThat(fixture.written()).endsWith("4\r\npart\r\n0\r\n\r\n");
    fixture.request().release();
  }

  /** Operators see the bound, not just a connection that has gone. */
  @Test
  void aGateTellsItsReasonBeforeTheEnd() {
    List<Object> heard = new ArrayList<>();
    WriteGate gate = new WriteGate(new WriteGateOptions(100, 100, 100, Duration.ofMinutes(10)));
    add(gate.newHandler());
    fixture
        .channel
        .pipeline()
        .addLast(
            new ChannelInboundHandlerAdapter() {
              @Override
              public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
                heard.add(event);
              }

              @Override
              public void channelInactive(ChannelHandlerContext ctx) {
                heard.add("inactive");
              }
            });
    receive();
    ByteBuf large = Unpooled.buffer(1_000).writeZero(1_000);
    ChannelFuture sent =
        fixture.channel.writeAndFlush(
            new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, large));
    assertThat(sent.cause()).isInstanceOf(WriteRefusedException.class);
    assertThatItHasEnded();
    assertThat(heard).hasSize(2).first().isInstanceOf(OutboundClosing.class);
    assertThat(heard).last().isEqualTo("inactive");
  }

  private static FullHttpResponse response() {
    return response(HttpResponseStatus.OK);
  }

  private static FullHttpResponse response(HttpResponseStatus status) {
    FullHttpResponse response =
        new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, Unpooled.EMPTY_BUFFER);
    response.headers().set(HttpHeaderNames.CONTENT_LENGTH, 0);
    return response;
  }

  private static HttpHeaders chunked() {
    return new DefaultHttpHeaders().set(HttpHeaderNames.TRANSFER_ENCODING, "chunked");
  }

  private static DefaultHttpContent content() {
    return new DefaultHttpContent(Unpooled.copiedBuffer("part", StandardCharsets.US_ASCII));
  }

  private ChannelFuture writeEnd() {
    return fixture.channel.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
  }

  private void lose() {
    lose(HttpResponse.class);
    receive();
  }

  private void lose(Class<?> kind) {
    add(new Loses(kind));
  }

  private LosesLater loseLater(Class<?> kind) {
    LosesLater loses = new LosesLater(kind);
    add(loses);
    return loses;
  }

  /** Next to the codec. */
  private void add(ChannelHandler handler) {
    fixture.channel.pipeline().addAfter("HttpServerCodec#0", /* name= */ null, handler);
  }

  private void receive() {
    fixture.receive(TWO);
    fixture.request().release();
  }

  private void assertThatItHasEnded() {
    fixture.channel.runPendingTasks();
    FullHttpRequest next = fixture.request();
    assertThat(next).isNull();
    assertThat(fixture.channel.isOpen()).isFalse();
  }
}
