package dev.weir.netty.flow;

import static dev.weir.netty.flow.ServedStreams.BODY_BYTES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.flow.ReadHolds.Reason;
import dev.weir.netty.flow.ServedStreams.Reader;
import dev.weir.netty.http.AggregatorOptions;
import dev.weir.netty.http.BudgetedHttpAggregator;
import dev.weir.netty.write.Http2Ends;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2FrameStream;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A stream that is reset while it is held closes, and what it has queued goes unread, whatever
 * windows its connection has.
 */
class ResetWhileHeldTest {
  /** The codec of the connection. */
  enum Codec {
    PLAIN,
    WITH_WINDOWS
  }

  private final SwitchedHeadroom headroom = new SwitchedHeadroom();
  private final ReadGate gate = new ReadGate(headroom);
  private final Reader reader = new Reader();
  private @Nullable ServedStreams served;

  private ServedStreams serve(Codec codec) {
    var plain = Http2FrameCodecBuilder.forServer().build();
    ServedStreams fresh =
        new ServedStreams(
            switch (codec) {
              case PLAIN -> plain;
              case WITH_WINDOWS -> Http2Windows.perStream(plain);
            });
    served = fresh;
    return fresh;
  }

  @AfterEach
  void close() {
    if (served != null) {
      served.close();
    }
  }

  private static void assertGone(ServedStreams served) {
    assertThat(served.streams.getLast().isOpen()).isFalse();
    assertThat(served.data).isNotEmpty().allMatch(frame -> frame.refCnt() == 0);
    assertThat(served.resetsFromServer).as("resets that answer one").isZero();
  }

  @ParameterizedTest
  @EnumSource(Codec.class)
  void aStreamThatAGateHasStopped(Codec codec) {
    ServedStreams served = serve(codec);
    served.handleBy(gate.newHandler(), reader);
    headroom.isShort = true;
    Http2FrameStream stream = served.send();
    assertThat(reader.messages).as("the head alone is read").isOne();
    assertThat(served.data).allMatch(frame -> frame.refCnt() > 0);

    served.reset(stream);

    assertGone(served);
    assertThat(reader.messages).isOne();
    assertThat(gate.pausedChannels()).isZero();
  }

  /** The client has cancelled it: an application would work for nobody. */
  @ParameterizedTest
  @EnumSource(Codec.class)
  void anEndThatIsQueuedIsNotDelivered(Codec codec) {
    ServedStreams served = serve(codec);
    served.handleBy(gate.newHandler(), reader);
    headroom.isShort = true;
    Http2FrameStream stream = served.open();
    served.sendBody(stream, /* endStream= */ true);

    served.reset(stream);

    assertGone(served);
    assertThat(reader.ended).isFalse();
    assertThat(reader.bytes).isZero();
  }

  @ParameterizedTest
  @EnumSource(Codec.class)
  void aStreamWhoseRequestWaitsForAdmission(Codec codec) {
    ServedStreams served = serve(codec);
    CompletableFuture<Permit> permit = new CompletableFuture<>();
    served.handleBy(
        new Http2StreamFrameToHttpObjectCodec(/* isServer= */ true),
        new BudgetedHttpAggregator(
            (bytes, deadline) -> permit, AggregatorOptions.upTo(2 * BODY_BYTES)),
        reader);
    Http2FrameStream stream = served.open();
    served.sendBody(stream, /* endStream= */ true);
    assertThat(permit).isNotDone();

    served.reset(stream);

    assertGone(served);
    assertThat(permit).as("nobody waits for it").isDone();
    assertThat(reader.messages).isZero();
  }

  /** As handlers may that have read all they wanted by then. */
  @ParameterizedTest
  @EnumSource(Codec.class)
  void whoAsksForTheRestAsItHearsOfTheResetGetsNone(Codec codec) {
    ServedStreams served = serve(codec);
    served.autoRead = false;
    served.handleBy(gate.newHandler(), reader, new AtReset(ChannelHandlerContext::read));
    headroom.isShort = true;
    Http2FrameStream stream = served.open();
    served.streams.getLast().read();
    served.sendBody(stream, /* endStream= */ true);
    assertThat(reader.messages).as("held").isOne();

    served.reset(stream);

    assertGone(served);
    assertThat(reader.messages).isOne();
  }

  @ParameterizedTest
  @EnumSource(Codec.class)
  void aStreamThatIsReadFromHearsOfItsEndAsEver(Codec codec) {
    ServedStreams served = serve(codec);
    served.handleBy(gate.newHandler(), reader);
    Http2FrameStream stream = served.send();
    served.reset(stream);
    assertGone(served);
    assertThat(reader.bytes).isEqualTo(BODY_BYTES);
  }

  /**
   * Its handlers have not asked yet: what there is for them is theirs, and nothing waits for it.
   */
  @ParameterizedTest
  @EnumSource(Codec.class)
  void oneThatWasNotHeldIsHeldNoMore(Codec codec) {
    ServedStreams served = serve(codec);
    served.autoRead = false;
    served.handleBy(gate.newHandler(), reader);
    Http2FrameStream stream = served.send();
    served.reset(stream);
    Channel channel = served.streams.getLast();
    assertThat(channel.isOpen()).as("unread").isTrue();

    headroom.isShort = true;
    assertThat(ReadHolds.of(channel).hold(Reason.ORDER)).isFalse();
    channel.read();

    assertGone(served);
    assertThat(reader.bytes).isEqualTo(BODY_BYTES);
    assertThat(gate.pausedChannels()).isZero();
  }

  @ParameterizedTest
  @EnumSource(Codec.class)
  void aStreamCountsAsHeldUntilItsReset(Codec codec) {
    ServedStreams served = serve(codec);
    served.handleBy(gate.newHandler());
    headroom.isShort = true;
    served.server.freezeTime();
    Http2FrameStream stream = served.send();
    served.server.advanceTimeBy(1, TimeUnit.SECONDS);
    served.reset(stream);
    served.server.advanceTimeBy(1, TimeUnit.MINUTES);
    assertThat(ReadHolds.of(served.streams.getLast()).heldNanos())
        .isEqualTo(TimeUnit.SECONDS.toNanos(1));
  }

  @ParameterizedTest
  @EnumSource(Codec.class)
  void oneThatCouldNotBeClosedIsClosedAtRelief(Codec codec) {
    ServedStreams served = serve(codec);
    FailingCloses closes = new FailingCloses();
    served.handleBy(closes, gate.newHandler(), reader);
    headroom.isShort = true;
    Http2FrameStream stream = served.send();
    closes.failing = true;
    served.reset(stream);
    assertThat(served.streams.getLast().isOpen()).as("could not be closed").isTrue();
    closes.failing = false;

    headroom.isShort = false;
    headroom.waits.getFirst().complete(true);
    served.server.runPendingTasks();

    assertGone(served);
    assertThat(reader.messages).isOne();
  }

  /** It closes by a task: the turn may come before that. */
  @ParameterizedTest
  @EnumSource(Codec.class)
  void aTurnThatComesAsItIsResetGoesToTheNext(Codec codec) {
    ServedStreams served = serve(codec);
    headroom.isShort = true;
    served.handleBy(
        gate.newHandler(), new AtReset(ctx -> headroom.waits.getFirst().complete(false)));
    Http2FrameStream stream = served.send();
    served.handleBy(gate.newHandler(), reader);
    served.send();
    assertThat(reader.messages).isOne();

    served.reset(stream);
    served.settle();

    assertThat(served.streams.getFirst().isOpen()).isFalse();
    assertThat(reader.bytes).isEqualTo(BODY_BYTES);
  }

  @ParameterizedTest
  @EnumSource(Codec.class)
  void aStreamOfOursTakesNoTurnFromALiveOne(Codec codec) throws Exception {
    ServedStreams served = serve(codec);
    var plain = Http2FrameCodecBuilder.forClient().build();
    EmbeddedChannel ours =
        new EmbeddedChannel(
            switch (codec) {
              case PLAIN -> plain;
              case WITH_WINDOWS -> Http2Windows.perStream(plain);
            },
            new Http2MultiplexHandler(new ChannelInboundHandlerAdapter()));
    headroom.isShort = true;
    Reader ofReset = new Reader();
    Http2StreamChannel reset = ask(ours, served.server, gate.newHandler(), ofReset);
    answer(served.streams.getFirst());
    Http2StreamChannel live = ask(ours, served.server, gate.newHandler(), reader);
    answer(served.streams.getLast());
    Http2Ends.exchange(ours, served.server);
    assertThat(ReadHolds.of(reset).held()).isTrue();
    assertThat(ReadHolds.of(live).held()).isTrue();

    served.streams.getFirst().writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.CANCEL));
    Http2Ends.exchange(ours, served.server);
    headroom.waits.getFirst().complete(false);
    ours.runPendingTasks();

    assertThat(reset.isOpen()).isFalse();
    assertThat(ofReset.messages).as("the head alone").isOne();
    assertThat(reader.bytes).isEqualTo(BODY_BYTES);
    ours.finishAndReleaseAll();
  }

  private static Http2StreamChannel ask(
      EmbeddedChannel ours, EmbeddedChannel server, ChannelHandler... handlers) throws Exception {
    var opening =
        new Http2StreamChannelBootstrap(ours)
            .handler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel stream) {
                    stream.pipeline().addLast(handlers);
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
    return stream;
  }

  /** The head, and a body that has not ended. */
  private static void answer(Channel stream) {
    stream.write(new DefaultHttp2HeadersFrame(new DefaultHttp2Headers().status("200")));
    stream.writeAndFlush(ServedStreams.body(/* endStream= */ false));
  }

  @Test
  void streamsBesideTheOneThatIsResetAreHeldStill() {
    ServedStreams served = serve(Codec.PLAIN);
    headroom.isShort = true;
    served.handleBy(gate.newHandler());
    Http2FrameStream first = served.send();
    served.handleBy(gate.newHandler());
    served.send();
    served.reset(first);
    assertThat(served.streams.getFirst().isOpen()).isFalse();
    assertThat(served.streams.getLast().isOpen()).isTrue();
    assertThat(ReadHolds.of(served.streams.getLast()).held()).isTrue();
  }

  /** What an application does as it hears of a reset. */
  private static final class AtReset extends ChannelInboundHandlerAdapter {
    interface Action {
      void run(ChannelHandlerContext ctx);
    }

    private final Action action;

    AtReset(Action action) {
      this.action = action;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
      if (event instanceof Http2ResetFrame) {
        action.run(ctx);
      }
    }
  }

  private static final class FailingCloses extends ChannelOutboundHandlerAdapter {
    private boolean failing;

    @Override
    public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
      if (failing) {
        throw new OutOfMemoryError("made to fail");
      }
      ctx.close(promise);
    }
  }
}
