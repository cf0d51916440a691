package dev.weir.netty.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What a channel leaves behind at its gate when it closes, or its handler is taken out: nothing.
 */
class WriteGateLeavingTest {
  private static final int MESSAGE_BYTES = 32 << 10;

  private final WriteGate gate =
      new WriteGate(
          new WriteGateOptions(1 << 20, 1 << 20, MESSAGE_BYTES / 2, Duration.ofSeconds(30)));

  private final EmbeddedChannel channel = newChannel();
  private final EmbeddedChannel other = newChannel();

  private EmbeddedChannel newChannel() {
    EmbeddedChannel made = new EmbeddedChannel(gate.newHandler());
    made.freezeTime();
    return made;
  }

  private static void queue(EmbeddedChannel channel) {
    channel.write(Unpooled.buffer(MESSAGE_BYTES).writeZero(MESSAGE_BYTES));
  }

  /** As a budget does whose pressure is critical: both have something queued, and are stopped. */
  private void stopBoth() {
    gate.addCritical();
    queue(channel);
    queue(other);
    assertThat(channel.isWritable()).isFalse();
    assertThat(other.isWritable()).isFalse();
  }

  private static WriteGateHandler handler(EmbeddedChannel channel) {
    return channel.pipeline().get(WriteGateHandler.class);
  }

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
    other.finishAndReleaseAll();
    assertThat(gate.queuedBytes()).isZero();
  }

  /** Which would keep it in memory for as long as the gate is closed. */
  @Test
  void aClosedChannelIsNotAmongThoseWhoWait() {
    stopBoth();
    WriteGateHandler left = handler(channel);
    channel.close();
    assertThat(gate.forget(left)).as("the closed one waits").isFalse();
    assertThat(gate.forget(handler(other))).as("the other waits").isTrue();
  }

  @Test
  void aHandlerThatIsTakenOutIsNotAmongThoseWhoWait() {
    stopBoth();
    WriteGateHandler left = handler(channel);
    channel.pipeline().remove(left);
    assertThat(gate.forget(left)).isFalse();
    assertThat(channel.isWritable()).as("nobody would lift it later").isTrue();
    assertThat(other.isWritable()).isFalse();
  }

  @Test
  void whatIsQueuedBehindAHandlerThatIsTakenOutIsNoLongerCounted() {
    queue(channel);
    queue(other);
    long both = gate.queuedBytes();
    channel.pipeline().remove(WriteGateHandler.class);
    assertThat(gate.queuedBytes()).isEqualTo(both / 2);
    channel.flush();
    channel.runPendingTasks();
    assertThat(gate.queuedBytes())
        .as("and is not counted down when it is sent")
        .isEqualTo(both / 2);
  }

  @Test
  void aPeerIsNotWatchedByAHandlerThatIsTakenOut() {
    gate.addCritical();
    queue(channel);
    channel.pipeline().remove(WriteGateHandler.class);
    channel.advanceTimeBy(61, TimeUnit.SECONDS);
    channel.runScheduledPendingTasks();
    channel.runPendingTasks();
    assertThat(channel.isActive()).isTrue();
    assertThat(gate.slowClosings()).isZero();
  }

  @Test
  void aWriteThatFailsBehindAHandlerThatIsTakenOutClosesNothing() {
    ChannelPromise[] kept = new ChannelPromise[1];
    channel
        .pipeline()
        .addFirst(
            new ChannelOutboundHandlerAdapter() {
              @Override
              public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
                ReferenceCountUtil.release(message);
                kept[0] = promise;
              }
            });
    queue(channel);
    channel.pipeline().remove(WriteGateHandler.class);
    kept[0].setFailure(new IllegalStateException("made by the test"));
    channel.runPendingTasks();
    assertThat(channel.isActive()).isTrue();
    assertThat(gate.brokenClosings()).isZero();
  }
}
