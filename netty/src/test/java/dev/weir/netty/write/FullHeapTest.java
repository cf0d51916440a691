package dev.weir.netty.write;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.netty.RefusingChannel;
import dev.weir.netty.write.OutboundClosing.Reason;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufHolder;
import io.netty.buffer.DefaultByteBufHolder;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Writes for which there is no Java heap: their messages are released, and nobody waits. */
class FullHeapTest {
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
  void aChannelThatMayWriteNoMoreIsClosedAtOnceIfItCannotBeLater() {
    RefusingChannel channel = new RefusingChannel(gate.newHandler());
    channel.refuse(true);
    ChannelFuture refused = channel.writeAndFlush(bytes(TOTAL_BYTES + 1));
    assertThat(refused.cause())
        .isInstanceOfSatisfying(
            WriteRefusedException.class,
            refusal -> assertThat(refusal.reason()).isEqualTo(Reason.TOTAL_FULL));
    assertThat(channel.isOpen()).isFalse();
    assertThat(gate.refusals()).isEqualTo(1);
    channel.refuse(false);
    channel.runPendingTasks();
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

  /** Has no room for another write while it is told so. */
  private static final class CrowdedChannel extends EmbeddedChannel {
    private boolean crowded;

    CrowdedChannel(ChannelHandler... handlers) {
      super(handlers);
    }

    @Override
    public ChannelPromise newPromise() {
      if (crowded) {
        throw new InternalError("made by the test");
      }
      return super.newPromise();
    }
  }

  @Test
  void aProducerThatGoesOnBehindAMessageThatWasNotTakenHasFailed() {
    CrowdedChannel channel = new CrowdedChannel(gate.newHandler());
    ChannelFuture pull =
        WriteGate.pull(
            channel,
            outlet -> {
              channel.crowded = true;
              try {
                outlet.write(bytes(10));
              } catch (InternalError noHeap) {
                // It takes no heed of it.
              } finally {
                channel.crowded = false;
              }
              outlet.write(bytes(1));
              outlet.complete();
            });
    channel.runPendingTasks();
    assertThat(pull.cause()).isInstanceOf(InternalError.class);
    assertThat(channel.<Object>readOutbound()).isNull();
    channel.finishAndReleaseAll();
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

  @Test
  void handlersHearThatAChannelIsWritableAlsoIfItsLoopTakesNoTaskForThat() {
    List<Boolean> heard = new ArrayList<>();
    RefusingChannel channel =
        new RefusingChannel(
            new ChannelInboundHandlerAdapter() {
              @Override
              public void channelWritabilityChanged(ChannelHandlerContext ctx) {
                heard.add(ctx.channel().isWritable());
              }
            });
    channel.leaveLoop(true);
    ChannelFuture written = Owned.of(bytes(1 << 20)).writeTo(channel);
    channel.leaveLoop(false);
    assertThat(channel.isWritable()).isFalse();
    written.cancel(/* mayInterruptIfRunning= */ false);
    channel.refuse(true);
    channel.runPendingTasks();
    assertThat(heard).containsExactly(false, true);
    assertThat(channel.bytesBeforeUnwritable())
        .isEqualTo(channel.config().getWriteBufferHighWaterMark() + 1L);
    channel.refuse(false);
    channel.finishAndReleaseAll();
  }

  /** The handler says that it has written what it has not released: looked after at the close. */
  @Test
  void whatAWriteLeavesIsReleasedWithItsChannelIfItCannotBeBefore() {
    RefusingChannel channel =
        new RefusingChannel(
            new ChannelOutboundHandlerAdapter() {
              @Override
              public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
                promise.setSuccess();
              }
            });
    channel.refuse(true);
    ByteBuf buffer = bytes(10);
    assertThat(Owned.send(channel, buffer).isSuccess()).isTrue();
    channel.refuse(false);
    channel.runPendingTasks();
    assertThat(buffer.refCnt()).isEqualTo(1);
    channel.close();
    channel.runPendingTasks();
    assertThat(channel.closeFuture().isSuccess()).isTrue();
    assertThat(Owned.send(channel, bytes(1)).cause()).isInstanceOf(ClosedChannelException.class);
  }
}
