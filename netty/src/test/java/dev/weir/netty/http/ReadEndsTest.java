package dev.weir.netty.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.flow.Permit;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.flush.FlushConsolidationHandler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Applications that write as a message comes and flush when reading ends, as Netty's examples do:
 * behind each request comes an end of reading, also where it waited for memory or for its turn.
 */
class ReadEndsTest {
  private static final String OK = "HTTP/1.1 200";

  private final AggregatorFixture fixture = AggregatorFixture.upTo(500);
  private final FlushesAtTheEnd application = new FlushesAtTheEnd();

  @BeforeEach
  void addApplication() {
    fixture.channel.pipeline().addLast("application", application);
  }

  @AfterEach
  void nothingIsHeld() {
    fixture.assertNothingHeld();
  }

  @Test
  void aRequestOfOneReadIsAnsweredAtItsEnd() {
    fixture.receive("POST /a HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc");
    assertThat(fixture.written()).startsWith(OK);
    assertThat(application.ends).isEqualTo(1);
  }

  @Test
  void aRequestThatWaitedForMemoryIsAnswered() {
    Permit all = fixture.fillMemory();
    fixture.receive("POST /a HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc");
    assertThat(fixture.written()).isEmpty();
    all.close();
    fixture.channel.runPendingTasks();
    assertThat(fixture.written()).startsWith(OK);
  }

  @Test
  void aRequestThatWaitedForItsTurnIsAnswered() {
    application.answers = false;
    fixture.receive("GET /a HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\n");
    application.answers = true;
    fixture.answer();
    fixture.channel.runPendingTasks();
    assertThat(fixture.written()).startsWith("HTTP/1.1 204").contains(OK);
    assertThat(application.uri).isEqualTo("/b");
  }

  /** Its flushes wait for the end of reading, once it has seen a message. */
  @Test
  void whatConsolidatesFlushesLetsThemThrough() {
    fixture.channel.pipeline().addBefore("application", "flushes", new FlushConsolidationHandler());
    application.flushes = true;
    Permit all = fixture.fillMemory();
    fixture.receive("POST /a HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc");
    all.close();
    fixture.channel.runPendingTasks();
    assertThat(fixture.written()).startsWith(OK);
  }

  @Test
  void whoAsksForMoreAtTheEndOfReadingIsAskedAgain() {
    fixture.channel.config().setAutoRead(false);
    application.reads = true;
    Permit all = fixture.fillMemory();
    fixture.receive("POST /a HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc");
    int before = application.ends;
    all.close();
    fixture.channel.runPendingTasks();
    assertThat(application.ends).isGreaterThan(before);
    assertThat(fixture.written()).startsWith(OK);
  }

  @Test
  void refusedRequestsBringNoEnd() {
    fixture.receive("GET /a HTTP/1.1\r\nContent-Length: 501\r\n\r\n");
    assertThat(fixture.written()).startsWith("HTTP/1.1 413");
    int before = application.ends;
    fixture.channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
    fixture.channel.runPendingTasks();
    assertThat(application.ends).isEqualTo(before);
  }

  private static final class FlushesAtTheEnd extends ChannelInboundHandlerAdapter {
    private boolean answers = true;
    private boolean flushes;
    private boolean reads;
    private int ends;
    private String uri = "";

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      FullHttpRequest request = (FullHttpRequest) message;
      uri = request.uri();
      request.release();
      if (!answers) {
        return;
      }
      ctx.write(
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1, HttpResponseStatus.OK, Unpooled.EMPTY_BUFFER));
      if (flushes) {
        ctx.flush();
      }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
      ends++;
      if (!flushes) {
        ctx.flush();
      }
      if (reads) {
        ctx.read();
      }
      ctx.fireChannelReadComplete();
    }
  }
}
