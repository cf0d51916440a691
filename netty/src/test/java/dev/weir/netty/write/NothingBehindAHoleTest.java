package dev.weir.netty.write;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.write.OutboundClosing.Reason;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelOutputShutdownException;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whoever hears first that a write has failed may write at once: a gate lets nothing through. */
class NothingBehindAHoleTest {
  private static final int TOTAL_BYTES = 64 << 10;
  private static final OutOfMemoryError NO_MEMORY = new OutOfMemoryError("injected");

  private final WriteGate gate =
      new WriteGate(
          new WriteGateOptions(TOTAL_BYTES / 2, TOTAL_BYTES, 1 << 10, Duration.ofMinutes(10)));
  private final List<ByteBuf> made = new ArrayList<>();
  private final App app = new App();

  @AfterEach
  void everythingIsReleased() {
    assertThat(made).allMatch(buffer -> buffer.refCnt() == 0);
    assertThat(gate.queuedBytes()).isZero();
  }

  private ByteBuf bytes(int count) {
    ByteBuf buffer = Unpooled.directBuffer(count).writeZero(count);
    made.add(buffer);
    return buffer;
  }

  /** The gate between handlers, and the application behind them. */
  private EmbeddedChannel channel(ChannelHandler below, ChannelHandler above) {
    return new EmbeddedChannel(below, gate.newHandler(), above, app);
  }

  private static FailingWrites failingAt(int write) {
    return new FailingWrites(write, NO_MEMORY);
  }

  private void assertClosedFor(EmbeddedChannel channel, Reason reason) {
    channel.runPendingTasks();
    assertThat(channel.isOpen()).isFalse();
    assertThat(app.closings).extracting(OutboundClosing::reason).containsExactly(reason);
    boolean refused = reason != Reason.WRITE_FAILED;
    assertThat(gate.refusals()).isEqualTo(refused ? 1 : 0);
    assertThat(gate.brokenClosings()).isEqualTo(refused ? 0 : 1);
    assertThat(channel.<Object>readOutbound()).isNull();
  }

  @Test
  void aRefusalIsToldOfOnceNothingMoreIsSent() {
    EmbeddedChannel channel = channel(new Holding(), new Holding());
    ChannelPromise refused = channel.newPromise();
    List<Throwable> later = new ArrayList<>();
    refused.addListener(
        done -> channel.writeAndFlush(bytes(5)).addListener(f -> later.add(f.cause())));
    channel.writeAndFlush(bytes(TOTAL_BYTES + 1), refused);
    assertThat(refused.cause()).isInstanceOf(WriteRefusedException.class);
    assertClosedFor(channel, Reason.TOTAL_FULL);
    assertThat(later)
        .singleElement()
        .matches(cause ->
            cause instanceof WriteRefusedException refusal
                && refusal.reason() == Reason.TOTAL_FULL);
  }

  /** The pull hears of the refusal before the gate's own write has returned. */
  @Test
  void aRefusedMessageOfAProducerIsCountedOnce() {
    EmbeddedChannel channel = channel(new Holding(), new Holding());
    ChannelFuture pull = WriteGate.pull(channel, outlet -> outlet.write(bytes(TOTAL_BYTES + 1)));
    assertThat(pull.cause()).isInstanceOf(WriteRefusedException.class);
    assertClosedFor(channel, Reason.TOTAL_FULL);
  }

  @Test
  void nothingFollowsDeepInAStackOfListeners() {
    EmbeddedChannel channel = channel(failingAt(0), new ChannelDuplexHandler());
    FailingWrites.deepInListeners(
        channel,
        () -> {
          channel.write(bytes(100));
          channel.writeAndFlush(bytes(100));
        });
    assertClosedFor(channel, Reason.WRITE_FAILED);
  }

  @Test
  void noMessageOfAProducerFollowsDeepInAStackOfListeners() {
    EmbeddedChannel channel = channel(new ChannelDuplexHandler(), failingAt(0));
    FailingWrites.deepInListeners(
        channel,
        () ->
            WriteGate.pull(
                channel,
                outlet -> {
                  outlet.write(bytes(100));
                  outlet.write(bytes(100));
                  outlet.complete();
                }));
    assertClosedFor(channel, Reason.WRITE_FAILED);
  }

  /** What is queued below the gate is not sent either. */
  @Test
  void aHandlerBelowDoesNotWriteOn() {
    EmbeddedChannel channel =
        new EmbeddedChannel(failingAt(0), new Holding(), gate.newHandler(), app);
    ChannelFuture first = channel.write(bytes(100));
    channel.write(bytes(100));
    channel.flush();
    assertThat(first.cause()).isSameAs(NO_MEMORY);
    assertClosedFor(channel, Reason.WRITE_FAILED);
  }

  /** An encoder that is called again while it hands out its parts hands some of them out twice. */
  @Test
  void theApplicationIsToldWhenTheEncoderHasWrittenItsParts() {
    // The head, and of the chunk the length; its content fails.
    EmbeddedChannel channel = channel(failingAt(2), new HttpResponseEncoder());
    app.answer = LastHttpContent.EMPTY_LAST_CONTENT;
    DefaultHttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
    head.headers().set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
    // Not through the channel: this kind runs its tasks whenever it is written to.
    ChannelHandlerContext writer = channel.pipeline().context(app);
    writer.write(head);
    app.writing = true;
    ChannelFuture chunk = writer.write(new DefaultHttpContent(bytes(100)));
    app.writing = false;
    writer.flush();
    assertClosedFor(channel, Reason.WRITE_FAILED);
    assertThat(chunk.cause()).isSameAs(NO_MEMORY);
    assertThat(app.toldInWrite).isFalse();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aProducerThatFindsTheOutputClosedHasMadeNoHole(boolean shutDown) {
    Throwable cause =
        shutDown ? new ChannelOutputShutdownException("shut") : new ClosedChannelException();
    EmbeddedChannel channel = channel(new Holding(), new FailingWrites(0, cause));
    ChannelFuture pull = WriteGate.pull(channel, outlet -> outlet.write(bytes(100)));
    channel.runPendingTasks();
    assertThat(pull.cause()).isSameAs(cause);
    assertThat(channel.isOpen()).isTrue();
    assertThat(gate.brokenClosings()).isZero();
    assertThat(channel.finish()).isFalse();
  }

  /** Writes what it was given when it is flushed. */
  private static final class Holding extends ChannelDuplexHandler {
    private final Queue<Runnable> held = new ArrayDeque<>();

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
      held.add(() -> ctx.write(message, promise));
    }

    @Override
    public void flush(ChannelHandlerContext ctx) {
      for (Runnable write = held.poll(); write != null; write = held.poll()) {
        write.run();
      }
      ctx.flush();
    }
  }

  /** Notes what it is told, and may answer it with a message. */
  private static final class App extends ChannelDuplexHandler {
    final List<OutboundClosing> closings = new ArrayList<>();
    Object answer;
    boolean writing;
    boolean toldInWrite;

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
      if (event instanceof OutboundClosing closing) {
        closings.add(closing);
        toldInWrite |= writing;
        if (answer != null) {
          ctx.writeAndFlush(answer);
        }
      }
    }
  }
}
