package dev.weir.netty.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.CountReads;
import dev.weir.netty.flow.Permit;
import dev.weir.netty.write.WithoutPromise;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpChunkedInput;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.stream.ChunkedStream;
import io.netty.handler.stream.ChunkedWriteHandler;
import java.io.ByteArrayInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What reaches the application, when, and in which order. */
class BudgetedHttpAggregatorTest {
  private static final String UPLOAD = "POST /a HTTP/1.1\r\nContent-Length: 10\r\n\r\n";
  private static final String CHUNKED = "POST /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";

  private final AggregatorFixture fixture = AggregatorFixture.upTo(500);

  @AfterEach
  void nothingIsHeld() {
    fixture.assertNothingHeld();
  }

  @Test
  void aDeclaredBodyComesAsOneContiguousBufferOfItsLength() {
    fixture.receive(UPLOAD + "01234");
    assertThat(fixture.request()).isNull();
    fixture.receive("56789");
    FullHttpRequest request = fixture.request();
    assertThat(fixture.body(request)).isEqualTo("0123456789");
    assertThat(request.content().nioBufferCount()).isEqualTo(1);
    assertThat(request.content().capacity()).isEqualTo(10);
    assertThat(request.uri()).isEqualTo("/a");
    assertThat(fixture.admission.availableBytes()).isEqualTo(990);
    request.release();
    assertThat(fixture.admission.availableBytes()).isEqualTo(1_000);
  }

  @Test
  void theBodyOutlivesTheRequestAsLongAsAViewOfItDoes() {
    fixture.receive(UPLOAD + "0123456789");
    FullHttpRequest request = fixture.request();
    ByteBuf view = request.content().retainedSlice(2, 3);
    request.release();
    assertThat(fixture.admission.availableBytes()).isEqualTo(990);
    view.release();
    assertThat(fixture.admission.availableBytes()).isEqualTo(1_000);
  }

  @Test
  void aRequestWithoutABodyNeedsNoRoom() {
    try (Permit all = fixture.fillMemory()) {
      fixture.receive("GET /g HTTP/1.1\r\n\r\n");
      FullHttpRequest request = fixture.request();
      assertThat(request.content().isReadable()).isFalse();
      request.release();
      assertThat(all.unspentBytes()).isEqualTo(1_000);
    }
  }

  @Test
  void theChannelIsNotReadUntilTheBodyIsAdmitted() {
    Permit all = fixture.fillMemory();
    fixture.receive(UPLOAD + "0123");
    assertThat(fixture.reads()).isFalse();
    assertThat(fixture.written()).isEmpty();
    all.close();
    assertThat(fixture.reads()).isTrue();
    fixture.receive("456789");
    FullHttpRequest request = fixture.request();
    assertThat(fixture.body(request)).isEqualTo("0123456789");
    request.release();
  }

  @Test
  void continueIsSentOnceTheBodyIsAdmitted() {
    Permit all = fixture.fillMemory();
    fixture.receive("PUT /e HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
    assertThat(fixture.reads()).isFalse();
    assertThat(fixture.written()).isEmpty();
    all.close();
    assertThat(fixture.reads()).isTrue();
    assertThat(fixture.written()).startsWith("HTTP/1.1 100 Continue\r\n");
    fixture.receive("abc");
    FullHttpRequest request = fixture.request();
    assertThat(fixture.body(request)).isEqualTo("abc");
    assertThat(request.headers().contains(HttpHeaderNames.EXPECT)).isFalse();
    request.release();
  }

  @Test
  void aBodyOfUnknownLengthGrowsByStepsThatDouble() {
    fixture.receive(CHUNKED);
    assertThat(fixture.admission.availableBytes()).isEqualTo(1_000 - 64);
    fixture.receive("40\r\n" + "a".repeat(64) + "\r\n");
    assertThat(fixture.admission.availableBytes()).isEqualTo(1_000 - 64);
    fixture.receive("10\r\n" + "b".repeat(16) + "\r\n");
    assertThat(fixture.admission.availableBytes()).isEqualTo(1_000 - 128);
    fixture.receive("50\r\n" + "c".repeat(80) + "\r\n0\r\nDigest: x\r\n\r\n");
    assertThat(fixture.admission.availableBytes()).isEqualTo(1_000 - 256);
    FullHttpRequest request = fixture.request();
    assertThat(fixture.body(request)).isEqualTo("a".repeat(64) + "b".repeat(16) + "c".repeat(80));
    assertThat(request.trailingHeaders().get("Digest")).isEqualTo("x");
    assertThat(request.headers().get(HttpHeaderNames.CONTENT_LENGTH)).isEqualTo("160");
    assertThat(request.headers().contains(HttpHeaderNames.TRANSFER_ENCODING)).isFalse();
    request.release();
  }

  @Test
  void aGrowingBodyWaitsForItsNextStepWithoutReading() {
    fixture.receive(CHUNKED + "40\r\n" + "a".repeat(64) + "\r\n");
    Permit rest = fixture.admission.admit(936, AggregatorFixture.LONG).toCompletableFuture().join();
    fixture.receive("5\r\nbbbbb\r\n0\r\n\r\n");
    assertThat(fixture.reads()).isFalse();
    assertThat(fixture.request()).isNull();
    rest.close();
    assertThat(fixture.reads()).isTrue();
    FullHttpRequest request = fixture.request();
    assertThat(fixture.body(request)).isEqualTo("a".repeat(64) + "bbbbb");
    request.release();
  }

  @Test
  void anEmptyChunkedBodyHoldsNothing() {
    fixture.receive(CHUNKED + "0\r\n\r\n");
    FullHttpRequest request = fixture.request();
    assertThat(request.content().isReadable()).isFalse();
    assertThat(fixture.admission.availableBytes()).isEqualTo(1_000);
    request.release();
  }

  @Test
  void pipelinedRequestsArePassedOnOneAnswerAtATime() {
    fixture.receive(
        UPLOAD + "0123456789" + "GET /b HTTP/1.1\r\n\r\n" + CHUNKED + "1\r\nz\r\n0\r\n\r\n");
    FullHttpRequest first = fixture.request();
    assertThat(first.uri()).isEqualTo("/a");
    first.release();
    assertThat(fixture.request()).isNull();
    assertThat(fixture.reads()).isFalse();

    fixture.answer();
    FullHttpRequest second = fixture.request();
    assertThat(second.uri()).isEqualTo("/b");
    second.release();
    assertThat(fixture.request()).isNull();

    fixture.answer();
    FullHttpRequest third = fixture.request();
    assertThat(third.uri()).isEqualTo("/c");
    assertThat(fixture.body(third)).isEqualTo("z");
    third.release();
    assertThat(fixture.reads()).isTrue();
  }

  private static HttpResponse chunkedHead() {
    HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
    head.headers().set(HttpHeaderNames.TRANSFER_ENCODING, "chunked");
    return head;
  }

  /** Which the encoder refuses: nothing of the second response has been written. */
  @Test
  void anEndThatIsWrittenTwiceEndsOneResponse() {
    fixture.receive("GET /a HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\nGET /c HTTP/1.1\r\n\r\n");
    fixture.request().release();
    fixture.channel.writeOutbound(chunkedHead(), LastHttpContent.EMPTY_LAST_CONTENT);
    fixture.request().release();
    ChannelFuture again = fixture.channel.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
    fixture.channel.runPendingTasks();
    assertThat(again.isSuccess()).isFalse();
    assertThat(fixture.request()).as("the third, while the second has no answer").isNull();
    fixture.answer();
    FullHttpRequest third = fixture.request();
    assertThat(third.uri()).isEqualTo("/c");
    third.release();
  }

  /** Its client would wait for it for ever. */
  @Test
  void anEndThatCannotBeWrittenEndsTheConnection() {
    fixture.receive("GET /a HTTP/1.1\r\n\r\n");
    fixture.request().release();
    fixture.channel.writeOutbound(chunkedHead());
    ChannelFuture written =
        fixture.channel.writeAndFlush(
            LastHttpContent.EMPTY_LAST_CONTENT, new WithoutPromise(fixture.channel));
    assertThat(written.cause()).isInstanceOf(OutOfMemoryError.class);
    fixture.channel.runPendingTasks();
    assertThat(fixture.channel.isOpen()).isFalse();
  }

  /** Of which one handler nearer to the wire makes the parts. */
  @Test
  void aResponseThatIsAnInputEndsWithIt() {
    String codec = fixture.channel.pipeline().firstContext().name();
    fixture.channel.pipeline().addAfter(codec, "chunks", new ChunkedWriteHandler());
    fixture.receive("GET /a HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\n");
    fixture.request().release();
    fixture.channel.writeOutbound(
        chunkedHead(),
        new HttpChunkedInput(new ChunkedStream(new ByteArrayInputStream(new byte[100]))));
    assertThat(fixture.written()).endsWith("\r\n0\r\n\r\n");
    FullHttpRequest second = fixture.request();
    assertThat(second.uri()).isEqualTo("/b");
    second.release();
  }

  /** As a codec leaves it that is told not to keep to RFC 9112. */
  @Test
  void aLengthBesideChunksIsNotBelieved() {
    DefaultHttpRequest head = new DefaultHttpRequest(HttpVersion.HTTP_1_0, HttpMethod.POST, "/a");
    head.headers().set(HttpHeaderNames.CONTENT_LENGTH, 3);
    head.headers().set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
    fixture.channel.writeInbound(
        head, new DefaultLastHttpContent(fixture.input.directBuffer(10).writeZero(10)));
    FullHttpRequest whole = fixture.request();
    assertThat(whole.content().readableBytes()).isEqualTo(10);
    assertThat(whole.headers().getAll(HttpHeaderNames.CONTENT_LENGTH)).containsExactly("10");
    assertThat(whole.headers().contains(HttpHeaderNames.TRANSFER_ENCODING)).isFalse();
    whole.release();
  }

  /** It closes with the last of them. */
  @Test
  void whatCameBeforeTheClientEndedItsSideIsAnswered() {
    fixture.receive("GET /a HTTP/1.1\r\n\r\n" + "GET /b HTTP/1.1\r\n\r\n");
    fixture.channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
    fixture.request().release();
    fixture.answer();
    assertThat(fixture.channel.isOpen()).isTrue();
    FullHttpRequest second = fixture.request();
    assertThat(second.uri()).isEqualTo("/b");
    second.release();
    fixture.answer();
    assertThat(fixture.channel.isOpen()).isFalse();
  }

  @Test
  void aChannelWhoseRequestIsBeingServedIsReadSoThatItsEndIsNoticed() {
    fixture.receive("GET /b HTTP/1.1\r\n\r\n");
    fixture.request().release();
    assertThat(fixture.reads()).isTrue();
  }

  @Test
  void readsWhatItNeedsWithAutoReadOff() {
    fixture.channel.config().setAutoRead(false);
    CountReads reads = new CountReads();
    fixture.channel.pipeline().addFirst(reads);
    Permit all = fixture.fillMemory();
    fixture.channel.read();
    fixture.receive(UPLOAD + "01234");
    int readsWhileWaiting = reads.count;
    all.close();
    fixture.channel.runPendingTasks();
    assertThat(reads.count).isEqualTo(readsWhileWaiting + 1);
    fixture.receive("56789");
    FullHttpRequest request = fixture.request();
    assertThat(fixture.body(request)).isEqualTo("0123456789");
    request.release();
    assertThat(fixture.channel.config().isAutoRead()).isFalse();
  }
}
