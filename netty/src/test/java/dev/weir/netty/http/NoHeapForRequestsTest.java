package dev.weir.netty.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.netty.flow.Admission;
import dev.weir.netty.flow.ByteCountAdmission;
import dev.weir.netty.flow.Permit;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that wait, or come, when no Java heap is left: what they have goes back. */
class NoHeapForRequestsTest {
  private static final int STEP_BYTES = 64;
  private static final Duration LONG = Duration.ofMinutes(10);

  private final ByteCountAdmission memory =
      new ByteCountAdmission(1_000, UnpooledByteBufAllocator.DEFAULT);
  private final AggregatorOptions options =
      AggregatorOptions.upTo(500).withStepBytes(STEP_BYTES).withAdmissionDeadline(LONG);
  private final List<ByteBuf> sent = new ArrayList<>();

  @AfterEach
  void nothingIsHeld() {
    assertThat(memory.availableBytes()).isEqualTo(1_000);
    assertThat(sent).isNotEmpty().allMatch(bytes -> bytes.refCnt() == 0);
  }

  private DefaultHttpContent content(int bytes) {
    ByteBuf buffer = Unpooled.buffer(bytes).writeZero(bytes);
    sent.add(buffer);
    return new DefaultHttpContent(buffer);
  }

  private static HttpRequest upload() {
    HttpRequest head = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/");
    head.headers().set(HttpHeaderNames.TRANSFER_ENCODING, "chunked");
    return head;
  }

  private static void assertRefused(EmbeddedChannel channel) {
    FullHttpResponse answer = channel.readOutbound();
    assertThat(answer.status().code()).isEqualTo(503);
    answer.release();
  }

  /** Of an admission: makes no failure, which a cancellation would. */
  private static class Asked extends CompletableFuture<Permit> {
    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
      throw new OutOfMemoryError("made to fail");
    }
  }

  /** Even to wait no longer fails. */
  private static final class AskedForEver extends Asked {
    @Override
    public boolean complete(Permit value) {
      throw new OutOfMemoryError("made to fail");
    }
  }

  /** Nobody can hear of its end. */
  private static final class AskedInVain extends Asked {
    @Override
    public CompletableFuture<Permit> whenComplete(
        BiConsumer<? super Permit, ? super Throwable> action) {
      throw new OutOfMemoryError("made to fail");
    }
  }

  /** Admits the first step of a body; the next waits. */
  private Admission firstStepOnly(CompletableFuture<Permit> next) {
    return (bytes, deadline) ->
        memory.availableBytes() == memory.limitBytes() ? memory.admit(bytes, deadline) : next;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aBodyIsReleasedThoughItsRequestWaits(boolean forEver) {
    CompletableFuture<Permit> next = forEver ? new AskedForEver() : new Asked();
    BudgetedHttpAggregator aggregator = new BudgetedHttpAggregator(firstStepOnly(next), options);
    EmbeddedChannel channel = new EmbeddedChannel(aggregator);
    channel.writeInbound(upload(), content(STEP_BYTES), content(1), content(1));
    assertThat(memory.availableBytes()).isEqualTo(1_000 - STEP_BYTES);
    assertThat(next).isNotDone();

    channel.pipeline().remove(aggregator);

    assertThat(next.isDone()).isEqualTo(!forEver);
    nothingIsHeld();
    if (forEver) {
      assertThatThrownBy(channel::checkException).hasRootCauseInstanceOf(OutOfMemoryError.class);
    }
    channel.finishAndReleaseAll();
  }

  @Test
  void anAdmissionThatNobodyWouldHearOfIsGivenUp() {
    AskedInVain asked = new AskedInVain();
    EmbeddedChannel channel =
        new EmbeddedChannel(new BudgetedHttpAggregator((bytes, deadline) -> asked, options));
    channel.writeInbound(upload(), content(1));
    assertRefused(channel);
    assertThat(asked).isDone();
    channel.finishAndReleaseAll();
  }

  @Test
  void anAdmissionThatHasNoHeapForItsRefusalRefuses() {
    CompletableFuture<Permit> asked = new CompletableFuture<>();
    EmbeddedChannel channel =
        new EmbeddedChannel(new BudgetedHttpAggregator((bytes, deadline) -> asked, options));
    channel.writeInbound(upload(), content(1));
    assertThat(channel.<Object>readOutbound()).isNull();
    asked.complete(null);
    channel.runPendingTasks();
    assertRefused(channel);
    channel.finishAndReleaseAll();
  }

  /** Does not grow, as one that is out of room and finds no heap, and has what it was given. */
  private static final class Queue extends ArrayDeque<HttpObject> {
    private static final long serialVersionUID = 1L;

    private boolean isFull;

    @Override
    public boolean add(HttpObject part) {
      super.add(part);
      if (isFull) {
        throw new OutOfMemoryError("made to fail");
      }
      return true;
    }
  }

  @Test
  void aBodyWithAHoleIsRefused() throws Exception {
    Queue queue = new Queue();
    EmbeddedChannel channel =
        new EmbeddedChannel(new BudgetedHttpAggregator(memory, options, /* spill= */ null, queue));
    try (Permit all = memory.admit(1_000, LONG).toCompletableFuture().get()) {
      channel.writeInbound(upload(), content(1));
      assertThat(channel.config().isAutoRead()).isFalse();
      queue.isFull = true;
      assertThatCode(() -> channel.writeInbound(content(1))).doesNotThrowAnyException();
      queue.isFull = false;
      assertRefused(channel);
      assertThat(channel.config().isAutoRead()).as("what comes now is discarded").isTrue();
      channel.writeInbound(content(1), LastHttpContent.EMPTY_LAST_CONTENT);
      assertThat(all.unspentBytes()).isEqualTo(1_000);
    }
    assertThat(channel.<Object>readInbound()).isNull();
    channel.finishAndReleaseAll();
  }

  /** The request before it has its answer from the application. */
  @Test
  void aConnectionThatHasLostAPartOfTheNextRequestIsClosed() {
    Queue queue = new Queue();
    EmbeddedChannel channel =
        new EmbeddedChannel(new BudgetedHttpAggregator(memory, options, /* spill= */ null, queue));
    channel.writeInbound(
        new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/"),
        LastHttpContent.EMPTY_LAST_CONTENT,
        upload(),
        content(1));
    FullHttpRequest first = channel.readInbound();
    queue.isFull = true;
    assertThatThrownBy(() -> channel.writeInbound(content(1))).isInstanceOf(OutOfMemoryError.class);
    assertThat(channel.isOpen()).isFalse();
    first.release();
    channel.finishAndReleaseAll();
  }
}
