package dev.weir.netty.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.weir.netty.RefusingChannel;
import dev.weir.netty.flow.ByteCountAdmission;
import dev.weir.netty.write.WriteGate;
import dev.weir.netty.write.WriteGateOptions;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Responses that are written within listeners within listeners, as deep as Netty goes. */
class DeepWritesTest {
  private static final int DEEPEST = 8;

  private final BudgetedHttpAggregator aggregator =
      new BudgetedHttpAggregator(
          new ByteCountAdmission(1_000, UnpooledByteBufAllocator.DEFAULT),
          AggregatorOptions.upTo(1_000));
  private final Transport transport = new Transport();
  private final RefusingChannel channel =
      new RefusingChannel(transport, new HttpServerCodec(), aggregator);
  private final ChannelPipeline pipeline = channel.pipeline();

  @BeforeEach
  void receiveRequest() {
    channel.writeInbound(
        Unpooled.copiedBuffer("GET / HTTP/1.1\r\n\r\n", StandardCharsets.US_ASCII));
    FullHttpRequest request = channel.readInbound();
    request.release();
  }

  @AfterEach
  void end() {
    channel.finishAndReleaseAll();
  }

  /** The codec hears of it, deep as it is, by a task of the loop, and then only this handler. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, DEEPEST})
  void nothingLeavesBehindAPartThatIsLost(int listeners) {
    transport.lost = "part";
    deep(
        listeners,
        () -> {
          writeHead();
          writePart("part");
          pipeline.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
        });
    assertThatItEndsWithoutItsEnd();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, DEEPEST})
  void norWithAFlushThatComesFromLessDeep(int listeners) {
    transport.lost = "part";
    deep(
        listeners,
        () -> {
          writeHead();
          writePart("part");
          pipeline.write(LastHttpContent.EMPTY_LAST_CONTENT);
        });
    pipeline.flush();
    assertThatItEndsWithoutItsEnd();
  }

  /** Then Netty has no task to tell of the loss by, and never tells. */
  @Test
  void norWhereTheLoopTakesNoTask() {
    transport.lost = "part";
    deep(
        DEEPEST,
        () -> {
          writeHead();
          channel.refuse(true);
          writePart("part");
          channel.refuse(false);
          pipeline.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
        });
    while (channel.isOpen()) {
      channel.runPendingTasks(); // One is brought by another thread.
    }
    assertThatItEndsWithoutItsEnd();
  }

  /** As a gate does, which has room again. */
  @Test
  void norWhatIsFlushedAsAHandlerNearerToTheWireHearsOfALoss() {
    LosesLater loses = new LosesLater(HttpContent.class);
    pipeline.addBefore(
        pipeline.context(aggregator).name(),
        /* name= */ null,
        new ChannelOutboundHandlerAdapter() {
          @Override
          public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
            ctx.write(message, promise).addListener(sent -> ctx.fireChannelWritabilityChanged());
          }
        });
    pipeline.addAfter("HttpServerCodec#0", /* name= */ null, loses);
    writeHead();
    writePart("one");
    writePart("two");
    pipeline.addLast(
        new ChannelInboundHandlerAdapter() {
          @Override
          public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            ctx.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
          }
        });
    loses.lose();
    assertThatItEndsWithoutItsEnd();
  }

  /** A handler nearer to the wire flushes what it is given, and there is room again. */
  @Test
  void whatIsWrittenInTheMiddleOfAWriteIsToldOfBehindIt() {
    transport.onWrite = text -> pipeline.fireChannelWritabilityChanged();
    List<String> told = new ArrayList<>();
    pipeline.addLast(
        new ChannelInboundHandlerAdapter() {
          private boolean writes;

          @Override
          public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            if (!writes) {
              writes = true;
              ChannelPromise part = channel.newPromise();
              part.addListener(sent -> told.add("part"));
              pipeline.write(content("part"), part);
            }
          }
        });
    transport.completesFirst = true;
    ChannelPromise head = channel.newPromise();
    head.addListener(sent -> told.add("head"));
    writeHead(head);
    assertThat(told).containsExactly("head", "part");
  }

  /** One that is lost while another is written, and then another at once. */
  @Test
  void norWhatIsWrittenBetweenTwoThatAreLost() {
    LosesLater losesFirst = new LosesLater(HttpContent.class);
    pipeline.addAfter("HttpServerCodec#0", /* name= */ null, losesFirst);
    transport.lost = "three";
    transport.onWrite =
        text -> {
          if (text.contains("two")) {
            losesFirst.lose();
          }
        };
    deep(
        DEEPEST,
        () -> {
          writeHead();
          writePart("one");
          writePart("two");
          writePart("three");
        });
    channel.runPendingTasks();
    assertThat(channel.isOpen()).isFalse();
    assertThat(transport.sent()).doesNotContain("two");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, DEEPEST})
  void whatIsWholeLeavesBeforeACloseThatComesBehindIt(int listeners) {
    ChannelPromise closed = channel.newPromise();
    deep(
        listeners,
        () -> {
          writeHead();
          writePart("part");
          pipeline.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
          pipeline.close(closed);
        });
    channel.runPendingTasks();
    assertThat(closed.isSuccess()).isTrue();
    assertThat(transport.sent()).endsWith("4\r\npart\r\n0\r\n\r\n");
  }

  @Test
  void soDoesWhatIsWrittenWhileItLeaves() {
    deep(
        DEEPEST,
        () -> {
          writeHead();
          pipeline.flush();
        });
    transport.onFlush =
        () ->
            deep(
                3,
                () -> {
                  writePart("part");
                  pipeline.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
                  pipeline.close();
                });
    channel.runPendingTasks();
    assertThat(transport.sent()).endsWith("4\r\npart\r\n0\r\n\r\n");
    assertThat(channel.isOpen()).isFalse();
  }

  /** As for an upgrade, of which nothing passes it any more. */
  @Test
  void soDoesWhatWaitsInAHandlerThatIsRemoved() {
    deep(
        DEEPEST,
        () -> {
          writeHead();
          writePart("part");
          pipeline.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
          pipeline.remove(aggregator);
          pipeline.close();
        });
    assertThat(transport.sent()).endsWith("4\r\npart\r\n0\r\n\r\n");
  }

  @Test
  void whatFollowsLeavesAtOnceAgain() {
    deep(
        DEEPEST,
        () -> {
          writeHead();
          pipeline.flush();
        });
    assertThat(transport.sent()).isEmpty();
    channel.runPendingTasks();
    assertThat(transport.sent()).startsWith("HTTP/1.1 200 OK");
    writePart("part");
    pipeline.flush();
    assertThat(transport.sent()).isEqualTo("4\r\npart\r\n");
  }

  /** A producer that looks at writability comes to an end. */
  @Test
  void whatWaitsCountsForWritability() {
    deep(
        DEEPEST,
        () -> {
          writeHead();
          for (int written = 0; channel.isWritable(); written++) {
            assertThat(written).isLessThan(1_000);
            writePart("x".repeat(1_000));
          }
        });
    channel.runPendingTasks();
    assertThat(channel.isWritable()).isTrue();
  }

  /** Netty has no task that would tell of room, and whoever hears of it at once writes more. */
  @Test
  void whatIsWrittenAsThereIsRoomComesBehindIt() {
    pipeline.addLast(
        new ChannelInboundHandlerAdapter() {
          @Override
          public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            if (ctx.channel().isWritable()) {
              ctx.write(
                  new DefaultHttpContent(
                      Unpooled.copiedBuffer("second", StandardCharsets.US_ASCII)));
            }
          }
        });
    writeHead();
    channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(10, 20));
    deep(DEEPEST, () -> writePart("first" + "x".repeat(100)));
    assertThat(channel.isWritable()).isFalse();
    channel.refuseNext(new RejectedExecutionException("made by the test"));
    channel.runPendingTasks();
    pipeline.flush();
    assertThat(transport.sent()).containsSubsequence("first", "second");
  }

  @Test
  void whatWaitsFailsWithTheEndOfTheChannel() {
    ByteBuf bytes = Unpooled.copiedBuffer("part", StandardCharsets.US_ASCII);
    ChannelPromise told = channel.newPromise();
    deep(
        DEEPEST,
        () -> {
          writeHead();
          pipeline.write(new DefaultHttpContent(bytes), told);
          channel.unsafe().close(channel.voidPromise());
        });
    channel.runPendingTasks();
    assertThat(told.cause()).isInstanceOf(ClosedChannelException.class);
    assertThat(bytes.refCnt()).isZero();
  }

  /** Nobody would hear of a close that is not done. */
  @Test
  void aCloseThatWaitsCannotBeCancelled() {
    deep(
        DEEPEST,
        () -> {
          writeHead();
          assertThat(pipeline.close().cancel(false)).isFalse();
        });
    channel.runPendingTasks();
    assertThat(channel.isOpen()).isFalse();
  }

  /** A gate counts what is before a message, not what waits behind it. */
  @Test
  void aGateTakesWhatWaits() {
    WriteGateOptions bounds = new WriteGateOptions(10_000, 10_000, 100, Duration.ofMinutes(10));
    pipeline.addAfter("HttpServerCodec#0", "gate", new WriteGate(bounds).newHandler());
    deep(
        3,
        () -> {
          writeHead();
          for (int i = 0; i < 20; i++) {
            writePart("x".repeat(1_000));
            pipeline.flush();
          }
        });
    channel.runPendingTasks();
    assertThat(channel.isOpen()).isTrue();
    assertThat(transport.sent()).hasSizeGreaterThan(20_000);
  }

  @Test
  void whatWaitsCannotBeCancelled() {
    ChannelPromise told = channel.newPromise();
    deep(
        DEEPEST,
        () -> {
          writeHead();
          pipeline.write(LastHttpContent.EMPTY_LAST_CONTENT, told);
          assertThat(told.cancel(false)).isFalse();
          pipeline.flush();
        });
    channel.runPendingTasks();
    assertThat(told.isSuccess()).isTrue();
  }

  private void assertThatItEndsWithoutItsEnd() {
    channel.runPendingTasks();
    assertThat(channel.isOpen()).isFalse();
    assertThat(transport.sent()).doesNotContain("0\r\n\r\n");
  }

  private void deep(int listeners, Runnable task) {
    if (listeners == 0) {
      task.run();
      return;
    }
    Throwable[] failure = new Throwable[1]; // Netty logs those of listeners.
    ChannelPromise promise = channel.newPromise();
    promise.addListener(done -> failure[0] = catchThrowable(() -> deep(listeners - 1, task)));
    promise.setSuccess();
    assertThat(failure[0]).isNull();
  }

  private void writeHead() {
    writeHead(channel.newPromise());
  }

  private void writeHead(ChannelPromise promise) {
    HttpHeaders chunked =
        new DefaultHttpHeaders().set(HttpHeaderNames.TRANSFER_ENCODING, "chunked");
    pipeline.write(
        new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, chunked), promise);
  }

  private ChannelFuture writePart(String text) {
    return pipeline.write(content(text));
  }

  private static DefaultHttpContent content(String text) {
    return new DefaultHttpContent(Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII));
  }

  /**
   * The channel's own runs the tasks of the loop with every write, which those of sockets do not.
   */
  private static final class Transport extends ChannelOutboundHandlerAdapter {
    private final StringBuilder sent = new StringBuilder();
    private final StringBuilder unflushed = new StringBuilder();

    /** Of what contains it nothing is taken. */
    @Nullable String lost;

    Consumer<String> onWrite = text -> {};

    /** Whether that is called behind the promise. */
    boolean completesFirst;

    /** Called once. */
    @Nullable Runnable onFlush;

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
      ByteBuf bytes = (ByteBuf) message;
      String text = bytes.toString(StandardCharsets.US_ASCII);
      bytes.release();
      if (lost != null && text.contains(lost)) {
        promise.setFailure(new OutOfMemoryError("made by the test"));
        return;
      }
      if (!ctx.channel().isActive()) {
        promise.setFailure(new ClosedChannelException());
        return;
      }
      unflushed.append(text);
      if (completesFirst) {
        promise.setSuccess();
      }
      onWrite.accept(text);
      if (!completesFirst) {
        promise.setSuccess();
      }
    }

    @Override
    public void flush(ChannelHandlerContext ctx) {
      sent.append(unflushed);
      unflushed.setLength(0);
      Runnable once = onFlush;
      onFlush = null;
      if (once != null) {
        once.run();
      }
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
