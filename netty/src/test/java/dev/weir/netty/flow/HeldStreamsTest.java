package dev.weir.netty.flow;

import static dev.weir.netty.flow.ServedStreams.BODY_BYTES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.flow.ReadHolds.Reason;
import dev.weir.netty.flow.ServedStreams.Reader;
import dev.weir.netty.http.AggregatorOptions;
import dev.weir.netty.http.BudgetedHttpAggregator;
import dev.weir.netty.write.Http2Ends;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2FrameStream;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.util.ReferenceCountUtil;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a stream has queued is read when nothing more can come on it, also while nobody else reads.
 * Those that their peers reset are {@link ResetWhileHeldTest}'s.
 */
class HeldStreamsTest {
  /** How the codec comes to close a stream that nobody has reset. */
  enum End {
    CONNECTION_CLOSED,
    BOTH_SIDES
  }

  private final SwitchedHeadroom headroom = new SwitchedHeadroom();
  private final ServedStreams served =
      new ServedStreams(Http2Windows.perStream(Http2FrameCodecBuilder.forServer().build()));
  private final EmbeddedChannel server = served.server;
  private final List<Channel> streams = served.streams;
  private final List<ChannelHandler> handlers = served.handlers;
  private final Reader reader = new Reader();

  @AfterEach
  void close() {
    served.close();
  }

  private void end(Http2FrameStream stream, End end) {
    switch (end) {
      case CONNECTION_CLOSED -> server.close();
      case BOTH_SIDES -> {
        ServedStreams.answer(streams.getLast());
        served.settle();
        assertThat(streams.getLast().isOpen()).as("waits").isTrue();
        served.client.writeOutbound(
            new DefaultHttp2DataFrame(Unpooled.EMPTY_BUFFER, /* endStream= */ true).stream(stream));
      }
    }
    served.settle();
    server.runPendingTasks();
  }

  @ParameterizedTest
  @EnumSource(End.class)
  void aStreamThatAGateHasStopped(End end) {
    handlers.add(new ReadGate(headroom).newHandler());
    handlers.add(reader);
    headroom.isShort = true;
    Http2FrameStream stream = served.send();
    assertThat(reader.messages).as("the head alone is read").isOne();

    end(stream, end);

    assertThat(streams.getLast().isOpen()).isFalse();
    assertThat(reader.bytes).as("an answer does not say that nobody reads").isEqualTo(BODY_BYTES);
    assertThat(served.resetsFromServer).isZero();
    assertThat(headroom.waits).as("waited for relief once").hasSize(1);
  }

  /** Where handlers ask for each message, the read that was put off is made up for. */
  @ParameterizedTest
  @EnumSource(End.class)
  void aStreamThatAGateHasStoppedWithAutoReadOff(End end) {
    served.autoRead = false;
    handlers.add(new ReadGate(headroom).newHandler());
    handlers.add(reader);
    headroom.isShort = true;
    Http2FrameStream stream = served.open();
    streams.getLast().read();
    assertThat(reader.messages).isOne();
    streams.getLast().read();
    served.sendBody(stream, /* endStream= */ false);
    assertThat(reader.messages).as("held").isOne();

    end(stream, end);

    assertThat(streams.getLast().isOpen()).isFalse();
    assertThat(reader.bytes).isEqualTo(BODY_BYTES);
  }

  @Test
  void aStreamWhoseRequestWaitsForAdmission() {
    CompletableFuture<Permit> permit = new CompletableFuture<>();
    KeptContents contents = new KeptContents();
    handlers.add(new Http2StreamFrameToHttpObjectCodec(/* isServer= */ true));
    handlers.add(contents);
    handlers.add(
        new BudgetedHttpAggregator(
            (bytes, deadline) -> permit, AggregatorOptions.upTo(2 * BODY_BYTES)));
    handlers.add(reader);

    Http2FrameStream stream = served.send();
    contents.passed = 0;
    contents.kept = 0;

    end(stream, End.CONNECTION_CLOSED);

    assertThat(streams.getLast().isOpen()).isFalse();
    assertThat(permit).as("nobody waits for it").isDone();
    assertThat(reader.messages).as("no request was whole").isZero();
    assertThat(contents.passed).isPositive();
    assertThat(contents.kept).as("a decoder might make much of them").isZero();
    assertThat(served.resetsFromServer).isZero();
  }

  @ParameterizedTest
  @EnumSource(End.class)
  void aStreamThatIsReadFromHearsOfItsEndAsEver(End end) {
    Reader unread = new Reader();
    handlers.add(new ReadGate(headroom).newHandler());
    handlers.add(unread);
    Http2FrameStream stream = served.send();
    assertThat(unread.bytes).isEqualTo(BODY_BYTES);
    end(stream, end);
    assertThat(streams.getLast().isOpen()).isFalse();
  }

  /** The holds of one stream end with it, those of its neighbours do not. */
  @Test
  void streamsBesideTheOneThatEndsAreHeldStill() {
    ReadGate gate = new ReadGate(headroom);
    headroom.isShort = true;
    handlers.add(gate.newHandler());
    served.send();
    handlers.set(0, gate.newHandler());
    Http2FrameStream last = served.send();
    end(last, End.BOTH_SIDES);
    assertThat(streams.getLast().isOpen()).isFalse();
    assertThat(streams.getFirst().isOpen()).isTrue();
    assertThat(ReadHolds.of(streams.getFirst()).held()).isTrue();
  }

  @Test
  void aStreamCountsAsHeldUntilItsEnd() {
    Http2FrameStream stream = served.send();
    server.freezeTime();
    ReadHolds holds = ReadHolds.of(streams.getLast());
    holds.hold(Reason.ORDER);
    server.advanceTimeBy(1, TimeUnit.SECONDS);
    end(stream, End.BOTH_SIDES);
    server.advanceTimeBy(1, TimeUnit.MINUTES);
    holds.release(Reason.ORDER);
    assertThat(holds.heldNanos()).isEqualTo(TimeUnit.SECONDS.toNanos(1));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void nobodyHoldsAStreamThatHasEnded(boolean wasHeld) {
    Http2FrameStream stream = served.send();
    ReadHolds holds = ReadHolds.of(streams.getLast());
    if (wasHeld) {
      assertThat(holds.hold(Reason.ORDER)).isTrue();
    }
    end(stream, End.BOTH_SIDES);
    assertThat(holds.held()).isFalse();
    assertThat(holds.hold(Reason.PRESSURE)).isFalse();
    assertThat(holds.held()).isFalse();
  }

  /**
   * The read that the end of the stream brings fails, and the permit comes late, for the first of
   * two steps.
   */
  @Test
  void aRequestThatCouldNotBeReadEndsWhereItWaitsAgain() throws Exception {
    FailingReads reads = new FailingReads();
    ByteCountAdmission memory =
        new ByteCountAdmission(2 * BODY_BYTES, UnpooledByteBufAllocator.DEFAULT);
    List<CompletableFuture<Permit>> waits = new ArrayList<>();
    handlers.add(reads);
    handlers.add(new Http2StreamFrameToHttpObjectCodec(/* isServer= */ true));
    handlers.add(new Halves());
    handlers.add(
        new BudgetedHttpAggregator(
            (bytes, deadline) -> {
              waits.add(new CompletableFuture<>());
              return waits.getLast();
            },
            AggregatorOptions.upTo(2 * BODY_BYTES).withStepBytes(BODY_BYTES / 4)));
    handlers.add(reader);
    Http2FrameStream stream = served.send();
    reads.failing = true;
    end(stream, End.CONNECTION_CLOSED);
    assertThat(streams.getLast().isOpen()).as("could not be read").isTrue();
    reads.failing = false;

    CompletableFuture<Permit> granted =
        memory.admit(BODY_BYTES / 4, Duration.ofHours(1)).toCompletableFuture();
    waits.getFirst().complete(granted.get());
    server.runPendingTasks();

    assertThat(waits).as("waits again").hasSize(2);
    assertThat(streams.getLast().isOpen()).isFalse();
  }

  /** How many of those there are is up to the application. */
  @Test
  void aStreamOfOursIsHeldBeyondItsEnd() throws Exception {
    headroom.isShort = true;
    EmbeddedChannel ours =
        new EmbeddedChannel(
            Http2Windows.perStream(Http2FrameCodecBuilder.forClient().build()),
            new Http2MultiplexHandler(new ChannelInboundHandlerAdapter()));
    var opening =
        new Http2StreamChannelBootstrap(ours)
            .handler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel stream) {
                    stream.pipeline().addLast(new ReadGate(headroom).newHandler(), reader);
                  }
                })
            .open();
    ours.runPendingTasks();
    Http2StreamChannel stream = opening.get();
    stream.writeAndFlush(
        new DefaultHttp2HeadersFrame(
            new DefaultHttp2Headers().method("GET").scheme("http").path("/"),
            /* endStream= */ true));
    Http2Ends.exchange(ours, server);
    streams.getLast().write(new DefaultHttp2HeadersFrame(new DefaultHttp2Headers().status("200")));
    streams.getLast().write(ServedStreams.body(/* endStream= */ false));
    streams
        .getLast()
        .writeAndFlush(new DefaultHttp2DataFrame(Unpooled.EMPTY_BUFFER, /* endStream= */ true));
    Http2Ends.exchange(ours, server);

    assertThat(stream.stream().state()).isEqualTo(Http2Stream.State.CLOSED);
    assertThat(ReadHolds.of(stream).held()).isTrue();
    assertThat(reader.messages).isOne();

    headroom.isShort = false;
    headroom.waits.getFirst().complete(true);
    ours.runPendingTasks();
    assertThat(reader.bytes).isEqualTo(BODY_BYTES);
    assertThat(stream.isOpen()).isFalse();
    ours.finishAndReleaseAll();
  }

  @Test
  void allOfAConnectionThatHasGone() {
    ReadGate gate = new ReadGate(headroom);
    headroom.isShort = true;
    for (int i = 0; i < 10; i++) {
      handlers.clear();
      handlers.add(gate.newHandler());
      served.send();
    }
    server.close();
    server.runPendingTasks();
    assertThat(streams).hasSize(10).noneMatch(Channel::isOpen);
    assertThat(gate.pausedChannels()).isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void oneThatCouldNotBeReadIsReadAtRelief(boolean autoRead) {
    FailingReads reads = new FailingReads();
    handlers.add(reads);
    handlers.add(new ReadGate(headroom).newHandler());
    handlers.add(reader);
    headroom.isShort = true;
    served.autoRead = autoRead;
    Http2FrameStream stream = served.open();
    if (!autoRead) {
      streams.getLast().read();
      streams.getLast().read();
    }
    assertThat(reader.messages).as("held").isOne();
    served.sendBody(stream, /* endStream= */ false);
    reads.failing = true;
    end(stream, End.CONNECTION_CLOSED);
    assertThat(streams.getLast().isOpen()).as("could not be read").isTrue();
    reads.failing = false;

    headroom.isShort = false;
    headroom.waits.getFirst().complete(true);
    server.runPendingTasks();

    assertThat(streams.getLast().isOpen()).isFalse();
    assertThat(reader.bytes).isEqualTo(BODY_BYTES);
  }

  /** The answer's end is that of the stream: its client has sent its own, which is queued. */
  @Test
  void noneIsReadWhileItsHandlersWriteTheEndOfTheirAnswer() {
    boolean[] writing = new boolean[1];
    boolean[] readAmid = new boolean[1];
    handlers.add(new ReadGate(headroom).newHandler());
    handlers.add(
        new ChannelInboundHandlerAdapter() {
          @Override
          public void channelRead(ChannelHandlerContext ctx, Object message) {
            readAmid[0] |= writing[0];
            ctx.fireChannelRead(message);
          }
        });
    handlers.add(reader);
    headroom.isShort = true;
    Http2FrameStream stream = served.open();
    served.sendBody(stream, /* endStream= */ true);
    assertThat(reader.messages).as("held").isOne();

    Channel stopped = streams.getLast();
    served.handleBy(
        new ChannelInboundHandlerAdapter() {
          @Override
          public void channelRead(ChannelHandlerContext ctx, Object head) {
            writing[0] = true;
            ServedStreams.answer(stopped);
            server.flush(); // In a read, that of a stream waits for the end of it.
            writing[0] = false;
          }
        });
    served.open();

    assertThat(reader.bytes).isEqualTo(BODY_BYTES);
    assertThat(reader.ended).isTrue();
    assertThat(stopped.isOpen()).isFalse();
    assertThat(readAmid[0]).isFalse();
  }

  /** Where nothing is asked for, it is its handlers' affair when they ask. */
  @Test
  void theTurnOfOneThatIsNotReadGoesToTheNext() {
    ReadGate gate = new ReadGate(headroom);
    headroom.isShort = true;
    served.autoRead = false;
    handlers.add(gate.newHandler());
    Http2FrameStream unread = served.open();
    streams.getLast().read();
    served.sendBody(unread, /* endStream= */ false);
    end(unread, End.BOTH_SIDES);
    assertThat(streams.getLast().isOpen()).as("unread").isTrue();
    served.autoRead = true;
    handlers.clear();
    handlers.add(gate.newHandler());
    handlers.add(reader);
    served.send();
    assertThat(reader.messages).isOne();

    headroom.waits.getFirst().complete(false);
    server.runPendingTasks();
    served.settle();

    assertThat(reader.bytes).isEqualTo(BODY_BYTES);
    streams.getFirst().read();
    assertThat(streams.getFirst().isOpen()).isFalse();
  }

  /** Counts contents, and those that a handler behind it has not released at once. */
  private static final class KeptContents extends ChannelInboundHandlerAdapter {
    private int passed;
    private int kept;

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      int counts = ReferenceCountUtil.refCnt(message);
      ctx.fireChannelRead(message);
      if (message instanceof HttpContent content) {
        passed++;
        kept += content.refCnt() == counts ? 1 : 0;
      }
    }
  }

  /** Passes each content on in two parts, as a decoder might. */
  private static final class Halves extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      if (message instanceof HttpContent content && content.content().isReadable()) {
        ByteBuf all = content.content();
        int half = all.readableBytes() / 2;
        ctx.fireChannelRead(new DefaultHttpContent(all.readRetainedSlice(half)));
        ctx.fireChannelRead(new DefaultHttpContent(all));
      } else {
        ctx.fireChannelRead(message);
      }
    }
  }

  private static final class FailingReads extends ChannelOutboundHandlerAdapter {
    private boolean failing;

    @Override
    public void read(ChannelHandlerContext ctx) {
      if (failing) {
        throw new OutOfMemoryError("made to fail");
      }
      ctx.read();
    }
  }
}
