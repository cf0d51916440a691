package dev.weir.netty.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Responses that are written within listeners within listeners, as deep as Netty goes. */
class DeepWritesTest {
  private static final int DEEPEST = 8;

  private final AggregatorFixture fixture = AggregatorFixture.upTo(500);
  private final ChannelPipeline pipeline = fixture.channel.pipeline();
  private final Transport transport = new Transport();

  @BeforeEach
  void beginWithTransport() {
    pipeline.addFirst(transport);
  }

  @AfterEach
  void nothingIsHeld() {
    fixture.assertNothingHeld();
  }

  /** The codec hears of it, deep as it is, by a task of the loop, and then only this handler. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, DEEPEST})
  void nothingLeavesBehindAPartThatIsLost(int listeners) {
    receive();
    deep(
        listeners,
        () -> {
          writeHead();
          losePart();
          pipeline.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
        });
    fixture.channel.runPendingTasks();
    assertThat(fixture.channel.isOpen()).isFalse();
    assertThat(transport.sent()).doesNotContain("0\r\n\r\n");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, DEEPEST})
  void norWithAFlushThatComesFromLessDeep(int listeners) {
    receive();
    deep(
        listeners,
        () -> {
          writeHead();
          losePart();
          pipeline.write(LastHttpContent.EMPTY_LAST_CONTENT);
        });
    pipeline.flush();
    fixture.channel.runPendingTasks();
    assertThat(fixture.channel.isOpen()).isFalse();
    assertThat(transport.sent()).doesNotContain("0\r\n\r\n");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, DEEPEST})
  void whatIsWholeLeavesBeforeACloseThatComesBehindIt(int listeners) {
    receive();
    ChannelPromise closed = fixture.channel.newPromise();
    deep(
        listeners,
        () -> {
          writeHead();
          writePart();
          pipeline.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
          pipeline.close(closed);
        });
    fixture.channel.runPendingTasks();
    assertThat(closed.isSuccess()).isTrue();
    assertThat(transport.sent()).endsWith("4\r\npart\r\n0\r\n\r\n");
  }

  /** As many flushes as there were, but those that come together. */
  @Test
  void whatFollowsLeavesAtOnceAgain() {
    receive();
    deep(
        DEEPEST,
        () -> {
          writeHead();
          pipeline.flush();
          pipeline.flush();
        });
    assertThat(transport.sent()).isEmpty();
    fixture.channel.runPendingTasks();
    assertThat(transport.sent()).startsWith("HTTP/1.1 200 OK");
    writePart();
    pipeline.flush();
    assertThat(transport.sent()).isEqualTo("4\r\npart\r\n");
  }

  private void receive() {
    fixture.receive("GET / HTTP/1.1\r\n\r\n");
    fixture.request().release();
  }

  private void deep(int listeners, Runnable task) {
    if (listeners == 0) {
      task.run();
      return;
    }
    ChannelPromise promise = fixture.channel.newPromise();
    promise.addListener(done -> deep(listeners - 1, task));
    promise.setSuccess();
  }

  private void writeHead() {
    HttpHeaders chunked =
        new DefaultHttpHeaders().set(HttpHeaderNames.TRANSFER_ENCODING, "chunked");
    pipeline.write(new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, chunked));
  }

  /** Its bytes; at the surface the channel is closed with that. */
  private void losePart() {
    pipeline.addBefore("HttpServerCodec#0", "loses", new Loses(ByteBuf.class));
    writePart();
    if (fixture.channel.isOpen()) {
      pipeline.remove("loses");
    }
  }

  private void writePart() {
    pipeline.write(
        new DefaultHttpContent(Unpooled.copiedBuffer("part", StandardCharsets.US_ASCII)));
  }

  /**
   * The channel's own runs the tasks of the loop with every write, which those of sockets do not.
   */
  private static final class Transport extends ChannelOutboundHandlerAdapter {
    private final StringBuilder sent = new StringBuilder();
    private final StringBuilder unflushed = new StringBuilder();

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
      ByteBuf bytes = (ByteBuf) message;
      unflushed.append(bytes.toString(StandardCharsets.US_ASCII));
      bytes.release();
      promise.setSuccess();
    }

    @Override
    public void flush(ChannelHandlerContext ctx) {
      sent.append(unflushed);
      unflushed.setLength(0);
    }

    @Override
    public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
      unflushed.setLength(0);
      ctx.close(promise);
    }

    /** Since it was last asked. */
    String sent() {
      String text = sent.toString();
      sent.setLength(0);
      return text;
    }
  }
}
