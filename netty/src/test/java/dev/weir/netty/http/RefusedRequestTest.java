package dev.weir.netty.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.netty.flow.Permit;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that are answered without the application, and ends that come too early. */
class RefusedRequestTest {
  private final AggregatorFixture fixture =
      new AggregatorFixture(
          AggregatorOptions.upTo(500)
              .withAdmissionDeadline(AggregatorFixture.LONG)
              .withRetryAfter(Duration.ofMillis(2_500))
              .withStepBytes(64)
              .withStallTimeout(Duration.ofSeconds(30)));

  @AfterEach
  void nothingIsHeld() {
    fixture.assertNothingHeld();
  }

  @Test
  void aBodyAboveTheMaximumIsRefusedBeforeItIsRead() {
    fixture.receive("POST /a HTTP/1.1\r\nContent-Length: 501\r\n\r\n");
    assertThat(fixture.written())
        .startsWith("HTTP/1.1 413 ")
        .contains("connection: close")
        .contains("maximum of 500 bytes");
    fixture.receive("x".repeat(501));
    assertThat(fixture.request()).isNull();
    assertThat(fixture.admission.availableBytes()).isEqualTo(1_000);
  }

  /** Sent on with the length that it has here, it would be another request to the next server. */
  @ParameterizedTest
  @ValueSource(strings = {"gzip, chunked", ", chunked"})
  void aBodyInAnotherTransferCodingIsRefused(String coding) {
    fixture.receive("POST /a HTTP/1.1\r\nTransfer-Encoding: " + coding + "\r\n\r\n");
    assertThat(fixture.written())
        .startsWith("HTTP/1.1 501 ")
        .contains("connection: close")
        .contains("the only transfer coding that is understood is chunked");
    assertThat(fixture.request()).isNull();
  }

  @Test
  @SuppressWarnings("deprecation") // It is what is refused.
  void itRunsOnTheChannelsLoopOnly() throws Exception {
    DefaultEventExecutorGroup elsewhere = new DefaultEventExecutorGroup(1);
    try {
      BudgetedHttpAggregator second =
          new BudgetedHttpAggregator(fixture.admission, AggregatorOptions.upTo(500));
      fixture.channel.pipeline().addLast(elsewhere, second);
      elsewhere.submit(() -> {}).sync();
      fixture.channel.runPendingTasks();
      assertThatThrownBy(fixture.channel::checkException)
          .hasStackTraceContaining("add it without an EventExecutorGroup");
      assertThat(fixture.channel.pipeline().context(second)).isNull();
    } finally {
      elsewhere.shutdownGracefully(0, 20, TimeUnit.SECONDS).sync();
    }
  }

  /** Where nobody has foreseen it: the client has an answer all the same. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aRequestThatCannotBeBegunEndsTheConnection(boolean heapIsFull) {
    HttpHeaders headers =
        new DefaultHttpHeaders() {
          @Override
          public String get(CharSequence name) {
            if (heapIsFull) {
              throw new OutOfMemoryError("made to fail");
            }
            throw new IllegalStateException("made to fail");
          }
        };
    EmbeddedChannel channel =
        new EmbeddedChannel(
            new BudgetedHttpAggregator(fixture.admission, AggregatorOptions.upTo(500)));
    try {
      channel.writeInbound(
          new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/", headers));
    } catch (OutOfMemoryError unhandled) {
      throw new AssertionError("nobody has handled it", unhandled);
    }
    FullHttpResponse answer = channel.readOutbound();
    assertThat(answer.status().code()).isEqualTo(500);
    assertThat(answer.headers().get("connection")).isEqualTo("close");
    answer.release();
    assertThat(channel.finishAndReleaseAll()).isFalse();
  }

  @Test
  void durationsMayMeanNever() {
    Duration never = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);
    AggregatorFixture patient =
        new AggregatorFixture(
            AggregatorOptions.upTo(500)
                .withAdmissionDeadline(never)
                .withRetryAfter(never)
                .withStallTimeout(never));
    patient.receive("POST /a HTTP/1.1\r\nContent-Length: 3\r\n\r\na");
    assertThat(patient.request()).isNull();
    patient.receive("bc");
    FullHttpRequest request = patient.request();
    assertThat(patient.body(request)).isEqualTo("abc");
    request.release();
    patient.assertNothingHeld();

    FullHttpResponse refusal = RefusedRequestException.overloaded("full").toResponse(never);
    assertThat(refusal.headers().get("retry-after")).isEqualTo("" + Long.MAX_VALUE);
    refusal.release();
  }

  @Test
  void aBodyOfTheMaximumIsTaken() {
    fixture.receive("POST /a HTTP/1.1\r\nContent-Length: 500\r\n\r\n" + "x".repeat(500));
    fixture.request().release();
  }

  @Test
  void noContinueIsSentToABodyAboveTheMaximum() {
    fixture.receive(
        "POST /a HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 9223372036854775807\r\n\r\n");
    assertThat(fixture.written()).startsWith("HTTP/1.1 413 ");
  }

  @Test
  void aGrowingBodyIsRefusedWhenItPassesTheMaximum() {
    fixture.receive("POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
    fixture.receive("1f4\r\n" + "x".repeat(500) + "\r\n");
    assertThat(fixture.written()).isEmpty();
    fixture.receive("1\r\nx\r\n0\r\n\r\n");
    assertThat(fixture.written()).startsWith("HTTP/1.1 413 ");
    assertThat(fixture.request()).isNull();
  }

  @Test
  void moreThanThereWillEverBeIsTooLarge() {
    AggregatorFixture roomy = AggregatorFixture.upTo(5_000);
    roomy.receive("POST /a HTTP/1.1\r\nContent-Length: 1001\r\n\r\n");
    assertThat(roomy.written()).startsWith("HTTP/1.1 413 ");
    roomy.assertNothingHeld();
  }

  @Test
  void noRoomUntilTheDeadlineIsUnavailableWithATimeToRetry() {
    AggregatorFixture impatient =
        new AggregatorFixture(
            AggregatorOptions.upTo(500)
                .withAdmissionDeadline(Duration.ofNanos(1))
                .withRetryAfter(Duration.ofMillis(2_500)));
    try (Permit all = impatient.fillMemory()) {
      impatient.receive("POST /a HTTP/1.1\r\nContent-Length: 10\r\n\r\n0123");
      String written = "";
      while (written.isEmpty()) {
        impatient.channel.runPendingTasks();
        written = impatient.written();
        Thread.onSpinWait();
      }
      assertThat(written).startsWith("HTTP/1.1 503 ").contains("retry-after: 3");
      assertThat(impatient.reads()).isTrue();
      assertThat(all.unspentBytes()).isEqualTo(1_000);
    }
    impatient.assertNothingHeld();
  }

  @Test
  void anAllocatorThatFailsWhatWasAdmittedIsUnavailable() {
    EmbeddedChannel channel =
        new EmbeddedChannel(
            new HttpServerCodec(),
            new BudgetedHttpAggregator(
                (bytes, deadline) -> CompletableFuture.completedFuture(new BrokenPermit()),
                AggregatorOptions.upTo(500)));
    channel.writeInbound(
        UnpooledByteBufAllocator.DEFAULT
            .buffer()
            .writeBytes("POST /a HTTP/1.1\r\nContent-Length: 10\r\n\r\n".getBytes()));
    assertThat(channel.outboundMessages()).isNotEmpty();
    assertThat(BrokenPermit.closed).isTrue();
    channel.finishAndReleaseAll();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anAdmissionThatThrowsIsUnavailable(boolean error) {
    EmbeddedChannel channel =
        new EmbeddedChannel(
            new HttpServerCodec(),
            new BudgetedHttpAggregator(
                (bytes, deadline) -> {
                  if (error) {
                    throw new OutOfMemoryError("no addresses to reserve");
                  }
                  throw new IllegalStateException("pool closed");
                },
                AggregatorOptions.upTo(500)));
    channel.writeInbound(
        UnpooledByteBufAllocator.DEFAULT
            .buffer()
            .writeBytes("POST /a HTTP/1.1\r\nContent-Length: 10\r\n\r\n".getBytes()));
    assertThat(channel.outboundMessages()).isNotEmpty();
    assertThat(channel.config().isAutoRead()).isTrue();
    channel.finishAndReleaseAll();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "400 | nonsense",
        "400 | GET / HTTP/1.1%no-colon%%",
        "400 | POST / HTTP/1.1%Content-Length: -1%%",
        "400 | POST / HTTP/1.1%Content-Length: x%%",
        "400 | POST / HTTP/1.1%Transfer-Encoding: chunked%%zz%",
        "417 | POST / HTTP/1.1%Expect: 200-tea%Content-Length: 1%%",
      })
  void whatMakesNoSenseIsRefused(int status, String text) {
    fixture.receive(text.replace("%", "\r\n") + "\r\n\r\n");
    assertThat(fixture.written()).startsWith("HTTP/1.1 " + status + " ");
    assertThat(fixture.request()).isNull();
  }

  @Test
  void overlongHeadsAreRefused() {
    fixture.receive("GET / HTTP/1.1\r\nA: " + "x".repeat(10_000) + "\r\n\r\n");
    assertThat(fixture.written()).startsWith("HTTP/1.1 431 ");
    AggregatorFixture other = AggregatorFixture.upTo(500);
    other.receive("GET /" + "x".repeat(10_000) + " HTTP/1.1\r\n\r\n");
    assertThat(other.written()).startsWith("HTTP/1.1 414 ");
    other.assertNothingHeld();
  }

  @Test
  void aBodyThatStallsIsRefusedAndATrickleIsNoBetter() {
    fixture.channel.freezeTime();
    fixture.receive("POST /a HTTP/1.1\r\nContent-Length: 10\r\n\r\n012");
    fixture.channel.advanceTimeBy(20, TimeUnit.SECONDS);
    fixture.channel.runPendingTasks();
    fixture.receive("3");
    fixture.channel.advanceTimeBy(9, TimeUnit.SECONDS);
    fixture.channel.runPendingTasks();
    assertThat(fixture.written()).isEmpty();
    fixture.channel.advanceTimeBy(1, TimeUnit.SECONDS);
    fixture.channel.runPendingTasks();
    assertThat(fixture.written()).startsWith("HTTP/1.1 408 ");
    assertThat(fixture.admission.availableBytes()).isEqualTo(1_000);
  }

  @Test
  void anAdmittedBodyOfWhichNothingComesIsRefused() {
    fixture.channel.freezeTime();
    Permit all = fixture.fillMemory();
    fixture.receive("POST /a HTTP/1.1\r\nContent-Length: 10\r\n\r\n");
    fixture.channel.advanceTimeBy(100, TimeUnit.SECONDS);
    fixture.channel.runPendingTasks();
    assertThat(fixture.written()).isEmpty();
    all.close();
    fixture.channel.runPendingTasks();
    fixture.channel.advanceTimeBy(30, TimeUnit.SECONDS);
    fixture.channel.runPendingTasks();
    assertThat(fixture.written()).startsWith("HTTP/1.1 408 ");
  }

  /** Most bodies are whole when the channel has been read: they need no timer. */
  @Test
  void aBodyIsWatchedOnceItKeepsTheChannelWaiting() {
    HttpRequest head = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/");
    HttpUtil.setContentLength(head, 100);
    ChannelHandlerContext codec = fixture.channel.pipeline().context(HttpServerCodec.class);
    codec.fireChannelRead(head);
    assertThat(fixture.admission.availableBytes()).isEqualTo(900);
    long stallNanos = TimeUnit.SECONDS.toNanos(30);
    fixture.channel.freezeTime();
    assertThat(fixture.channel.runScheduledPendingTasks())
        .as("no timer but that of heads")
        .isGreaterThan(stallNanos);
    codec.fireChannelReadComplete();
    assertThat(fixture.channel.runScheduledPendingTasks()).as("a timer").isBetween(1L, stallNanos);
  }

  /** It is begun by the end of the response before it, with nothing more to read. */
  @Test
  void aBodyBehindAnotherRequestIsWatchedToo() {
    fixture.channel.freezeTime();
    fixture.receive("GET / HTTP/1.1\r\n\r\nPOST / HTTP/1.1\r\nContent-Length: 100\r\n\r\nabc");
    fixture.request().release();
    fixture.answer();
    fixture.channel.runPendingTasks();
    assertThat(fixture.written()).startsWith("HTTP/1.1 204 ");
    fixture.channel.advanceTimeBy(30, TimeUnit.SECONDS);
    fixture.channel.runScheduledPendingTasks();
    assertThat(fixture.written()).startsWith("HTTP/1.1 408 ");
  }

  @Test
  void theConnectionClosesOnceTheClientHadAMoment() {
    fixture.channel.freezeTime();
    fixture.receive("POST /a HTTP/1.1\r\nContent-Length: 501\r\n\r\n");
    assertThat(fixture.channel.isOpen()).isTrue();
    fixture.channel.advanceTimeBy(2, TimeUnit.SECONDS);
    fixture.channel.runPendingTasks();
    assertThat(fixture.channel.isOpen()).isFalse();
  }

  @Test
  void theConnectionClosesThoughTheClientReadsNothing() {
    fixture.channel.freezeTime();
    fixture.channel.pipeline().addFirst(new WriteNothing());
    fixture.receive("POST /a HTTP/1.1\r\nContent-Length: 501\r\n\r\n");
    fixture.channel.advanceTimeBy(10, TimeUnit.SECONDS);
    fixture.channel.runPendingTasks();
    assertThat(fixture.channel.isOpen()).isFalse();
  }

  @Test
  void aClientThatGoesWhileItWaitsLeavesTheQueue() {
    Permit all = fixture.fillMemory();
    fixture.receive("POST /a HTTP/1.1\r\nContent-Length: 10\r\n\r\n0123");
    fixture.channel.close();
    all.close();
    assertThat(fixture.admission.availableBytes()).isEqualTo(1_000);
  }

  @Test
  void aPermitThatArrivesAfterTheClientHasGoneIsReturned() {
    Permit all = fixture.fillMemory();
    fixture.receive("POST /a HTTP/1.1\r\nContent-Length: 10\r\n\r\n0123");
    // Granted now, but the hop to the event loop is still to come when the channel closes.
    all.close();
    assertThat(fixture.admission.availableBytes()).isEqualTo(990);
    fixture.channel.pipeline().fireChannelInactive();
    assertThat(fixture.admission.availableBytes()).isEqualTo(1_000);
    fixture.channel.runPendingTasks();
    assertThat(fixture.admission.availableBytes()).isEqualTo(1_000);
  }

  @Test
  void aClientThatGoesInMidBodyLeavesNothing() {
    fixture.receive("POST /a HTTP/1.1\r\nContent-Length: 10\r\n\r\n0123");
    assertThat(fixture.admission.availableBytes()).isEqualTo(990);
    fixture.channel.close();
    assertThat(fixture.admission.availableBytes()).isEqualTo(1_000);
  }

  @Test
  void pipelinedRequestsOfAClientThatGoesAreReleased() {
    fixture.receive("GET /a HTTP/1.1\r\n\r\nPOST /b HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc");
    fixture.request().release();
    fixture.channel.close();
    assertThat(fixture.input.pinnedDirectMemory()).isZero();
  }

  @Test
  void removingTheHandlerReleasesWhatItHolds() {
    fixture.receive("POST /a HTTP/1.1\r\nContent-Length: 10\r\n\r\n0123");
    fixture.channel.pipeline().remove(fixture.aggregator);
    assertThat(fixture.admission.availableBytes()).isEqualTo(1_000);
    assertThat(fixture.reads()).isTrue();
  }

  @Test
  void removingTheHandlerWhileItWaitsLeavesTheQueueAndReadsOn() {
    try (Permit all = fixture.fillMemory()) {
      fixture.receive("POST /a HTTP/1.1\r\nContent-Length: 10\r\n\r\n0123");
      assertThat(fixture.reads()).isFalse();
      fixture.channel.pipeline().remove(fixture.aggregator);
      assertThat(fixture.reads()).isTrue();
      assertThat(all.unspentBytes()).isEqualTo(1_000);
    }
    assertThat(fixture.admission.availableBytes()).isEqualTo(1_000);
  }

  /** As a socket whose buffers are full: no write ever completes. */
  private static final class WriteNothing extends ChannelOutboundHandlerAdapter {
    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
      ReferenceCountUtil.release(message);
    }
  }

  private static final class BrokenPermit implements Permit {
    static boolean closed;

    @Override
    public long unspentBytes() {
      return 10;
    }

    @Override
    public io.netty.buffer.ByteBuf allocate(int bytes) {
      throw new OutOfMemoryError("Cannot reserve " + bytes + " bytes of direct buffer memory");
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}
