package dev.weir.netty.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GenericFutureListener;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When a producer is asked and when no more, and how a pull ends: once, and told to both sides. */
class PullEndTest {
  private final WriteGate gate = new WriteGate(WriteGateOptions.within(1 << 20));
  private final Tap tap = new Tap();
  private final EmbeddedChannel channel = new EmbeddedChannel(tap, gate.newHandler());
  private final Source source = new Source();
  private boolean failing;

  /** Where a transport would be, with a peer that takes nothing while it is closed. */
  private static final class Tap extends ChannelOutboundHandlerAdapter {
    private final Queue<Runnable> kept = new ArrayDeque<>();
    private Runnable onFlush = () -> {};
    private boolean keeping;
    private boolean closed;

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
      if (keeping) {
        kept.add(() -> ctx.writeAndFlush(message, promise));
      } else {
        ctx.write(message, promise);
      }
    }

    /** Lets through the oldest of what was kept. */
    void takeOne() {
      kept.remove().run();
    }

    @Override
    public void flush(ChannelHandlerContext ctx) {
      if (!closed) {
        ctx.flush();
        Runnable once = onFlush;
        onFlush = () -> {};
        once.run();
      }
    }
  }

  /** A producer that answers as the test tells it to. */
  private static final class Source implements Producer {
    private final List<Throwable> ends = new ArrayList<>();
    private Consumer<Outlet> answer = outlet -> {};
    private @Nullable Outlet outlet;
    private int questions;

    @Override
    public void produce(Outlet given) {
      questions++;
      outlet = given;
      answer.accept(given);
    }

    @Override
    public void stopped(Throwable cause) {
      ends.add(cause);
    }

    Outlet outlet() {
      assertThat(outlet).isNotNull();
      return outlet;
    }
  }

  private ChannelFuture pull() {
    return WriteGate.pull(channel, source);
  }

  private static ByteBuf message() {
    return Unpooled.directBuffer(1).writeByte(1);
  }

  /** How many messages were sent since the last call. */
  private int sent() {
    int messages = 0;
    for (ByteBuf sent = channel.readOutbound(); sent != null; sent = channel.readOutbound()) {
      messages++;
      sent.release();
    }
    return messages;
  }

  private void assertNextMayWrite() {
    ChannelFuture next = WriteGate.pull(channel, outlet -> {});
    assertThat(next.isDone()).as("the next may write").isFalse();
  }

  @AfterEach
  void close() {
    if (!failing) {
      channel.checkException();
    }
    channel.finishAndReleaseAll();
    assertThat(gate.queuedBytes()).isZero();
  }

  @Test
  void aPullThatEndsAtOnceHasSucceeded() {
    source.answer = Outlet::complete;
    ChannelFuture pull = pull();
    assertThat(pull.isSuccess()).isTrue();
    assertThat(source.questions).isEqualTo(1);
    assertNextMayWrite();
    channel.close();
    assertThat(source.ends).isEmpty();
  }

  @Test
  void aPullThatEndsWithItsFirstMessagesSendsThem() {
    source.answer =
        outlet -> {
          outlet.write(message());
          outlet.write(message());
          outlet.complete();
        };
    ChannelFuture pull = pull();
    assertThat(pull.isSuccess()).isTrue();
    assertThat(sent()).isEqualTo(2);
    assertThat(source.questions).isEqualTo(1);
  }

  @Test
  void aPullThatEndsBeforeItsPeerHasTakenAllSucceedsAfterwards() {
    tap.closed = true;
    source.answer =
        outlet -> {
          outlet.write(message());
          outlet.write(message());
          outlet.complete();
        };
    ChannelFuture pull = pull();
    assertThat(pull.isDone()).isFalse();
    assertNextMayWrite();
    tap.closed = false;
    channel.flush();
    assertThat(pull.isSuccess()).isTrue();
    assertThat(sent()).isEqualTo(2);
    assertThat(source.questions).isEqualTo(1);
  }

  @Test
  void aPullThatHasEndedSucceedsWithTheLastOfItsMessages() {
    tap.keeping = true;
    source.answer =
        outlet -> {
          outlet.write(message());
          outlet.write(message());
          outlet.complete();
        };
    ChannelFuture pull = pull();
    tap.takeOne();
    assertThat(sent()).isEqualTo(1);
    assertThat(pull.isDone()).isFalse();
    tap.takeOne();
    assertThat(sent()).isEqualTo(1);
    assertThat(pull.isSuccess()).isTrue();
  }

  @Test
  void aPullWhoseChannelClosesBehindItsEndHasFailed() {
    tap.closed = true;
    source.answer =
        outlet -> {
          outlet.write(message());
          outlet.complete();
        };
    ChannelFuture pull = pull();
    channel.close();
    assertThat(pull.cause()).isInstanceOf(ClosedChannelException.class);
    assertThat(source.ends).as("it has been through").isEmpty();
  }

  @Test
  void whatIsWrittenWithoutAQuestionIsSentAtOnce() {
    ChannelFuture pull = pull();
    source.outlet().write(message());
    assertThat(sent()).isEqualTo(1);
    source.outlet().complete();
    assertThat(pull.isSuccess()).isTrue();
  }

  /** As by a publisher that gives the next when it hears that the last was sent. */
  @Test
  void whatIsWrittenWhileAnAnswerIsFlushedIsSentAtOnce() {
    tap.onFlush = () -> source.outlet().write(message());
    source.answer =
        outlet -> {
          if (source.questions == 1) {
            outlet.write(message());
          }
        };
    pull();
    assertThat(sent()).isEqualTo(2);
    assertThat(source.questions).isEqualTo(2);
  }

  @Test
  void whatIsWrittenBehindTheEndIsReleased() {
    pull();
    source.outlet().complete();
    ByteBuf late = message();
    source.outlet().write(late);
    channel.flush();
    assertThat(late.refCnt()).isZero();
    assertThat(sent()).isZero();
  }

  @Test
  void anEndBehindAFailureIsNone() {
    ChannelFuture pull = pull();
    IllegalStateException failure = new IllegalStateException("made by the test");
    source.outlet().fail(failure);
    source.outlet().complete();
    source.outlet().fail(new IllegalStateException("the second"));
    channel.close();
    assertThat(pull.cause()).isSameAs(failure);
    assertThat(source.ends).containsExactly(failure);
  }

  @Test
  void aPullThatIsCancelledIsOverForBoth() {
    ChannelFuture pull = pull();
    assertThat(pull.cancel(false)).isTrue();
    assertThat(source.ends).hasSize(1).first().isInstanceOf(CancellationException.class);
    source.outlet().resume();
    channel.runPendingTasks();
    assertThat(source.questions).isEqualTo(1);
    assertNextMayWrite();
  }

  @Test
  void aPullEndsWithTheGateThatIsTakenOutOfThePipeline() {
    ChannelFuture pull = pull();
    channel.pipeline().remove(WriteGateHandler.class);
    assertThat(pull.cause()).isInstanceOf(ClosedChannelException.class);
    assertThat(source.ends).containsExactly(pull.cause());
    source.outlet().resume();
    channel.runPendingTasks();
    assertThat(source.questions).isEqualTo(1);
    assertThat(channel.isActive()).isTrue();
  }

  @Test
  void whoPullsAsTheChannelClosesIsToldSo() {
    List<ChannelFuture> late = new ArrayList<>();
    channel
        .pipeline()
        .addLast(
            new ChannelInboundHandlerAdapter() {
              @Override
              public void channelInactive(ChannelHandlerContext ctx) {
                late.add(pull());
              }
            });
    channel.close();
    assertThat(late).hasSize(1);
    assertThat(late.getFirst().cause()).isInstanceOf(ClosedChannelException.class);
    assertThat(source.ends).containsExactly(late.getFirst().cause());
    assertThat(source.questions).isZero();
  }

  @Test
  void whoIsRefusedBesideAnotherLeavesTheOtherAtWork() {
    ChannelFuture pull = pull();
    Source second = new Source();
    ChannelFuture refused = WriteGate.pull(channel, second);
    assertThat(refused.cause()).isInstanceOf(IllegalStateException.class);
    assertThat(second.ends).containsExactly(refused.cause());
    assertThat(second.questions).isZero();
    assertThat(WriteGate.pull(channel, outlet -> {}).cause())
        .as("a third")
        .isInstanceOf(IllegalStateException.class);
    channel.close();
    assertThat(pull.cause()).isInstanceOf(ClosedChannelException.class);
    assertThat(source.ends).hasSize(1);
  }

  @Test
  void aProducerThatHasNothingIsAskedAgainWhenItHas() {
    pull();
    channel.runPendingTasks();
    assertThat(source.questions).isEqualTo(1);
    source.outlet().resume();
    source.outlet().resume();
    assertThat(source.questions).as("on the event loop").isEqualTo(1);
    channel.runPendingTasks();
    assertThat(source.questions).as("once for both").isEqualTo(2);
    source.outlet().resume();
    channel.runPendingTasks();
    assertThat(source.questions).isEqualTo(3);
  }

  @Test
  void aProducerThatAlwaysHasMoreLeavesTheLoopToOthersBetween() {
    int messages = 1_000;
    source.answer =
        outlet -> {
          if (source.questions <= messages) {
            outlet.write(message());
          } else {
            outlet.complete();
          }
        };
    ChannelFuture pull = pull();
    assertThat(source.questions).isBetween(2, messages);
    int[] questionsBefore = new int[1];
    channel.eventLoop().execute(() -> questionsBefore[0] = source.questions);
    channel.runPendingTasks();
    assertThat(questionsBefore[0]).as("when a task came between").isBetween(2, messages);
    assertThat(pull.isSuccess()).isTrue();
    assertThat(sent()).isEqualTo(messages);
  }

  /** What it is asked at comes within an answer too: by a flush, for instance. */
  @Test
  void aProducerIsNotAskedWhileItAnswers() {
    int[] depth = new int[2];
    source.answer =
        outlet -> {
          depth[1] = Math.max(depth[1], ++depth[0]);
          if (source.questions <= 3) {
            outlet.write(message());
            channel.pipeline().fireChannelWritabilityChanged();
          }
          depth[0]--;
        };
    pull();
    assertThat(depth[1]).isEqualTo(1);
    assertThat(source.questions).isEqualTo(4);
    assertThat(sent()).isEqualTo(3);
    channel.pipeline().fireChannelWritabilityChanged();
    assertThat(source.questions).as("and afterwards it is").isEqualTo(5);
  }

  @Test
  void aProducerThatCannotBeToldIsToldOfInThePipeline() {
    IllegalStateException failure = new IllegalStateException("made by the test");
    ChannelFuture pull =
        WriteGate.pull(
            channel,
            new Producer() {
              @Override
              public void produce(Outlet outlet) {}

              @Override
              public void stopped(Throwable cause) {
                throw failure;
              }
            });
    pull.cancel(false);
    failing = true;
    assertThatThrownBy(channel::checkException).isSameAs(failure);
    assertNextMayWrite();
  }

  /** By another thread, between the look at it and the first listener. */
  @Test
  void aPullThatIsCancelledAsItBeginsLeavesTheChannelToTheNext() {
    ChannelPromise cancelled =
        new DefaultChannelPromise(channel, channel.eventLoop()) {
          @Override
          public ChannelPromise addListener(
              GenericFutureListener<? extends Future<? super Void>> listener) {
            cancel(false);
            return super.addListener(listener);
          }
        };
    channel.pipeline().get(WriteGateHandler.class).begin(channel, source, cancelled);
    assertThat(source.questions).isZero();
    assertThat(source.ends).hasSize(1);
    Source next = new Source();
    ChannelFuture pulled = WriteGate.pull(channel, next);
    assertThat(next.questions).isPositive();
    assertThat(pulled.isDone()).isFalse();
    pulled.cancel(false);
  }
}
