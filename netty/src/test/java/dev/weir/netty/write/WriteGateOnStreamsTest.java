package dev.weir.netty.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2WindowUpdateFrame;
import io.netty.handler.codec.http2.Http2ChannelDuplexHandler;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2FrameStream;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2WindowUpdateFrame;
import io.netty.util.ReferenceCountUtil;
import java.text.MessageFormat;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Streams of one connection that heed {@code isWritable()}, and a client that takes little. */
class WriteGateOnStreamsTest {
  private static final int STREAMS = 32;
  private static final int MESSAGES = 100;
  private static final int MESSAGE_BYTES = 1 << 10;

  /** Less than what a stream has to send, so that one does not stop the others. */
  private static final int STREAM_WINDOW_BYTES = 16 << 10;

  private static final Duration SLOW_TIME = Duration.ofSeconds(30);

  private final WriteGate gate =
      new WriteGate(WriteGateOptions.within(1 << 20).withSlowPeer(4 << 10, SLOW_TIME));

  /** The path of an answer that is written at once, with its end. */
  private static final String WHOLE = "/whole";

  private static final int WHOLE_BYTES = MESSAGES * MESSAGE_BYTES;

  private final List<ByteBuf> whole = new ArrayList<>();
  private final List<Channel> opened = new ArrayList<>();
  private final List<Http2WindowUpdateFrame> untaken = new ArrayList<>();
  private final List<Http2ResetFrame> resets = new ArrayList<>();
  private final List<OutboundClosing> closings = new ArrayList<>();
  private int dataBytes;
  private final Http2ChannelDuplexHandler streams = new Http2ChannelDuplexHandler() {};
  private final EmbeddedChannel client =
      new EmbeddedChannel(
          Http2FrameCodecBuilder.forClient()
              .initialSettings(
                  Http2Settings.defaultSettings().initialWindowSize(STREAM_WINDOW_BYTES))
              .build(),
          streams);
  private final EmbeddedChannel server =
      new EmbeddedChannel(
          Http2FrameCodecBuilder.forServer().build(),
          new Http2MultiplexHandler(
              new ChannelInitializer<>() {
                @Override
                protected void initChannel(Channel stream) {
                  opened.add(stream);
                  stream.pipeline().addLast(gate.newHandler(), new WhileWritable());
                }
              }));

  @AfterEach
  void close() {
    client.finishAndReleaseAll();
    server.finishAndReleaseAll();
    assertThat(gate.queuedBytes()).isZero();
  }

  @Test
  void streamsThatHeedTheirWritabilityAreWithinTheTotal() {
    exchange();
    for (int i = 0; i < STREAMS; i++) {
      open();
    }
    exchange();
    assertThat(gate.refusals()).isZero();
    assertThat(opened).hasSize(STREAMS).allMatch(Channel::isActive).noneMatch(Channel::isWritable);
    assertThat(gate.isClosed()).isTrue();
    long exactBytes = 0;
    for (Channel stream : opened) {
      exactBytes += QueuedBytes.of(stream);
    }
    assertThat(exactBytes).isBetween(gate.queuedBytes(), gate.queuedBytes() + STREAMS * 4096L);

    takeAll();
    assertThat(dataBytes).isEqualTo(STREAMS * MESSAGES * MESSAGE_BYTES);
    assertThat(gate.isClosed()).isFalse();
    assertThat(gate.refusals()).isZero();
    assertThat(opened).allMatch(Channel::isWritable);
    assertThat(opened)
        .allMatch(stream -> stream.config().getWriteBufferWaterMark().equals(gate.waterMark()));
  }

  @Test
  void aSlowStreamIsResetAndTheOthersGoOn() {
    server.freezeTime();
    exchange();
    open();
    exchange();
    takeAll();
    Channel fast = opened.getLast();
    assertThat(dataBytes).isEqualTo(MESSAGES * MESSAGE_BYTES);

    Http2FrameStream slowStream = open();
    exchange();
    Channel slow = opened.getLast();
    assertThat(QueuedBytes.of(slow)).isGreaterThan(gate.options().slowBytes());
    pass(SLOW_TIME.minusSeconds(1));
    assertThat(opened).allMatch(Channel::isActive);

    Logger logger = Logger.getLogger(WriteGate.class.getName());
    List<LogRecord> records = new ArrayList<>();
    logger.setFilter(told -> !records.add(told));
    try {
      pass(Duration.ofSeconds(1));
    } finally {
      logger.setFilter(null);
    }
    assertThat(slow.isActive()).isFalse();
    assertThat(gate.slowClosings()).isEqualTo(1);
    assertThat(gate.queuedBytes()).isZero();
    assertThat(closings)
        .extracting(OutboundClosing::reason)
        .containsExactly(OutboundClosing.Reason.SLOW_PEER);
    LogRecord told = records.getFirst();
    assertThat(records).hasSize(1);
    assertThat(MessageFormat.format(told.getMessage(), told.getParameters()))
        .startsWith("closing " + slow + " with ")
        .contains(SLOW_TIME.toString());
    assertThat(resets).extracting(Http2ResetFrame::stream).containsExactly(slowStream);
    assertThat(resets.getFirst().errorCode()).isEqualTo(Http2Error.CANCEL.code());

    assertThat(server.isActive()).isTrue();
    untaken.removeIf(taken -> taken.stream().equals(slowStream));
    dataBytes = 0;
    fast.writeAndFlush(
        new DefaultHttp2DataFrame(fast.alloc().buffer(MESSAGE_BYTES).writeZero(MESSAGE_BYTES)));
    open();
    exchange();
    takeAll();
    assertThat(dataBytes).isEqualTo((1 + MESSAGES) * MESSAGE_BYTES);
    assertThat(gate.slowClosings()).isEqualTo(1);
  }

  /** Netty closes a stream without a word when both its ends have been written. */
  @Test
  void aSlowStreamWhoseEndWaitsAsWellIsReset() {
    server.freezeTime();
    exchange();
    open();
    exchange();
    Http2FrameStream ended = open(WHOLE);
    exchange();
    assertThat(dataBytes).isEqualTo(2 * STREAM_WINDOW_BYTES);
    ByteBuf content = whole.getLast();
    assertThat(content.refCnt()).isPositive();
    pass(SLOW_TIME);
    assertThat(opened).noneMatch(Channel::isActive);
    assertThat(gate.slowClosings()).isEqualTo(2);
    assertThat(resets).extracting(Http2ResetFrame::stream).hasSize(2).contains(ended);
    assertThat(content.refCnt()).as("what waited").isZero();
    assertThat(server.isActive()).isTrue();
  }

  /** Each is a channel, and so is the connection. */
  @Test
  void streamsAndTheirConnectionHaveGatesOfTheirOwn() {
    server.pipeline().addFirst(new WriteGate(gate.options()).newHandler());
    exchange();
    open();
    exchange();
    takeAll();
    server.checkException();
    assertThat(server.pipeline().get(WriteGateHandler.class)).isNotNull();
    assertThat(opened).hasSize(1);
    assertThat(opened.getFirst().pipeline().get(WriteGateHandler.class)).isNotNull();
    assertThat(dataBytes).isEqualTo(MESSAGES * MESSAGE_BYTES);
  }

  private Http2FrameStream open() {
    return open("/");
  }

  /** The client opens a stream, and asks for its messages. */
  private Http2FrameStream open(String path) {
    Http2FrameStream stream = streams.newStream();
    client.writeOutbound(
        new DefaultHttp2HeadersFrame(
                new DefaultHttp2Headers().method("GET").scheme("http").path(path).authority("weir"),
                /* endStream= */ true)
            .stream(stream));
    return stream;
  }

  /** The client takes all there is. */
  private void takeAll() {
    while (!untaken.isEmpty()) {
      client.writeOutbound(untaken.toArray());
      untaken.clear();
      exchange();
    }
  }

  /** Time passes at the server. */
  private void pass(Duration time) {
    server.advanceTimeBy(time.toMillis(), TimeUnit.MILLISECONDS);
    server.runScheduledPendingTasks();
    exchange();
  }

  /** Carries bytes both ways, until none are left. */
  private void exchange() {
    boolean moved = true;
    while (moved) {
      moved = move(client, server) | move(server, client);
      for (Object frame = client.readInbound(); frame != null; frame = client.readInbound()) {
        if (frame instanceof Http2DataFrame data) {
          dataBytes += data.content().readableBytes();
          untaken.add(
              new DefaultHttp2WindowUpdateFrame(data.initialFlowControlledBytes())
                  .stream(data.stream()));
        }
        if (frame instanceof Http2ResetFrame reset) {
          resets.add(reset);
        }
        ReferenceCountUtil.release(frame);
      }
    }
  }

  private static boolean move(EmbeddedChannel from, EmbeddedChannel to) {
    from.runPendingTasks();
    boolean moved = false;
    for (Object bytes = from.readOutbound(); bytes != null; bytes = from.readOutbound()) {
      to.writeInbound(bytes);
      moved = true;
    }
    return moved;
  }

  private final class WhileWritable extends ChannelInboundHandlerAdapter {
    private int left = MESSAGES;

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      boolean isWhole =
          message instanceof Http2HeadersFrame asked && WHOLE.contentEquals(asked.headers().path());
      ReferenceCountUtil.release(message);
      ctx.write(new DefaultHttp2HeadersFrame(new DefaultHttp2Headers().status("200")));
      if (isWhole) {
        left = 0;
        ByteBuf content = ctx.alloc().buffer(WHOLE_BYTES).writeZero(WHOLE_BYTES);
        whole.add(content);
        ctx.writeAndFlush(new DefaultHttp2DataFrame(content, /* endStream= */ true));
      } else {
        write(ctx);
      }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
      write(ctx);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
      if (event instanceof OutboundClosing closing) {
        closings.add(closing);
      }
    }

    private void write(ChannelHandlerContext ctx) {
      while (left > 0 && ctx.channel().isActive() && ctx.channel().isWritable()) {
        left--;
        ctx.writeAndFlush(
            new DefaultHttp2DataFrame(ctx.alloc().buffer(MESSAGE_BYTES).writeZero(MESSAGE_BYTES)));
      }
    }
  }
}
