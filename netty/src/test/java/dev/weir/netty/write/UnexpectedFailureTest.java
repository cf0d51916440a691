package dev.weir.netty.write;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.RefusingChannel;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufHolder;
import io.netty.buffer.DefaultByteBufHolder;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Failures that nobody has foreseen: the channel closes, messages go back, nobody waits. */
class UnexpectedFailureTest {
  private static final int TOTAL_BYTES = 64 << 10;

  private final WriteGate gate =
      new WriteGate(
          new WriteGateOptions(TOTAL_BYTES / 2, TOTAL_BYTES, 1 << 10, Duration.ofMinutes(10)));
  private final List<ByteBuf> made = new ArrayList<>();

  @AfterEach
  void everythingIsReleased() {
    assertThat(made).isNotEmpty().allMatch(buffer -> buffer.refCnt() == 0);
    assertThat(gate.queuedBytes()).isZero();
  }

  private ByteBuf bytes(int count) {
    ByteBuf buffer = Unpooled.directBuffer(count).writeZero(count);
    made.add(buffer);
    return buffer;
  }

  @Test
  void aMessageThatTheGateCannotHandOnIsReleasedAndNothingFollowsIt() {
    RefusingChannel channel = new RefusingChannel();
    channel
        .config()
        .setMessageSizeEstimator(() ->
            message -> {
              throw new InternalError("made by the test");
            });
    channel.pipeline().addLast(gate.newHandler());
    ChannelFuture failed = channel.writeAndFlush(bytes(1));
    assertThat(failed.cause()).isInstanceOf(InternalError.class);
    assertThat(channel.writeAndFlush(bytes(1)).isSuccess()).isFalse();
    channel.runPendingTasks();
    assertThat(channel.isOpen()).isFalse();
    assertThat(gate.brokenClosings()).isEqualTo(1);
  }

  @Test
  void whatCannotBeGivenToAnEventLoopIsReleased() {
    RefusingChannel channel = new RefusingChannel(gate.newHandler());
    channel.refuse(true);
    channel.leaveLoop(true);
    ChannelFuture written = Owned.send(channel, bytes(10));
    assertThat(written.cause()).isInstanceOf(InternalError.class);
    List<Throwable> stops = new ArrayList<>();
    ChannelFuture pull =
        WriteGate.pull(
            channel,
            new Producer() {
              @Override
              public void produce(Outlet outlet) {
                throw new AssertionError("asked");
              }

              @Override
              public void stopped(Throwable cause) {
                stops.add(cause);
              }
            });
    assertThat(pull.cause()).isInstanceOf(InternalError.class);
    assertThat(stops).containsExactly(pull.cause());
  }

  @Test
  void aProducerThatGoesOnBehindAMessageThatWasNotTakenOverHasFailed() {
    EmbeddedChannel channel = new EmbeddedChannel(gate.newHandler());
    ByteBuf content = bytes(10);
    DefaultByteBufHolder withoutHeap =
        new DefaultByteBufHolder(content) {
          @Override
          public ByteBufHolder replace(ByteBuf with) {
            throw new InternalError("made by the test");
          }
        };
    ChannelFuture pull =
        WriteGate.pull(
            channel,
            outlet -> {
              try {
                outlet.write(withoutHeap);
              } catch (InternalError noHeap) {
                // It takes no heed of it.
              }
              outlet.complete();
            });
    channel.runPendingTasks();
    assertThat(pull.cause()).isInstanceOf(InternalError.class);
    channel.finishAndReleaseAll();
  }
}
