package dev.weir.netty.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufHolder;
import io.netty.buffer.DefaultByteBufHolder;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What Reactive Streams ask of a subscriber, by the numbers of their rules, and what a publisher
 * that breaks its own rules does to a channel: nothing but the end of its pull.
 */
class PublisherRulesTest {
  private final WriteGate gate = new WriteGate(WriteGateOptions.within(1 << 20));
  private final Tap tap = new Tap();
  private final EmbeddedChannel channel = new EmbeddedChannel(tap, gate.newHandler());
  private final Source source = new Source();

  /** Where a transport would be, with a peer that takes nothing while it is closed. */
  private static final class Tap extends ChannelOutboundHandlerAdapter {
    private boolean closed;

    @Override
    public void flush(ChannelHandlerContext ctx) {
      if (!closed) {
        ctx.flush();
      }
    }
  }

  /** A publisher that signals what the test tells it to, and its subscription. */
  private static final class Source implements Flow.Publisher<Object>, Flow.Subscription {
    private Flow.@Nullable Subscriber<? super Object> subscriber;
    private Runnable onRequest = () -> {};
    private boolean subscribesLater;
    private int requests;
    private int cancellations;

    @Override
    public void subscribe(Flow.Subscriber<? super Object> given) {
      subscriber = given;
      if (!subscribesLater) {
        given.onSubscribe(this);
      }
    }

    @Override
    public void request(long count) {
      assertThat(count).isEqualTo(1);
      requests++;
      onRequest.run();
    }

    @Override
    public void cancel() {
      cancellations++;
    }

    Flow.Subscriber<? super Object> to() {
      assertThat(subscriber).isNotNull();
      return subscriber;
    }
  }

  private ChannelFuture pull() {
    return WriteGate.pullFrom(channel, source);
  }

  private ChannelFuture pullWithoutDemand() {
    source.subscribesLater = true;
    ChannelFuture pull = pull();
    fill();
    source.to().onSubscribe(source);
    assertThat(source.requests).isZero();
    return pull;
  }

  private static ByteBuf message() {
    return Unpooled.directBuffer(1).writeByte(1);
  }

  /** Has the channel unwritable, until the tap is open and it is flushed. */
  private void fill() {
    tap.closed = true;
    int bytes = channel.config().getWriteBufferHighWaterMark();
    channel.write(Unpooled.wrappedBuffer(new byte[bytes]));
    assertThat(channel.isWritable()).isFalse();
  }

  /** How many messages of the publisher's size were sent since the last call. */
  private int sent() {
    int messages = 0;
    for (ByteBuf sent = channel.readOutbound(); sent != null; sent = channel.readOutbound()) {
      messages += sent.readableBytes() == 1 ? 1 : 0;
      sent.release();
    }
    return messages;
  }

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
    assertThat(gate.queuedBytes()).isZero();
  }

  /** 2.1 */
  @Test
  void oneMessageAtATimeIsAskedForWhileTheChannelTakesMore() {
    pull();
    assertThat(source.requests).isEqualTo(1);
    source.to().onNext(message());
    assertThat(source.requests).isEqualTo(2);
    fill();
    source.to().onNext(message());
    assertThat(source.requests).isEqualTo(2);
    tap.closed = false;
    channel.flush();
    assertThat(source.requests).isEqualTo(3);
    assertThat(sent()).isEqualTo(2);
  }

  /** 2.3, 2.4 */
  @Test
  void aFailureFailsThePullAndCallsNothing() {
    ChannelFuture pull = pull();
    source.to().onNext(message());
    IllegalStateException failure = new IllegalStateException("made by the test");
    source.to().onError(failure);
    assertThat(pull.cause()).isSameAs(failure);
    assertThat(sent()).isEqualTo(1);
    assertThat(source.cancellations).isZero();
    assertThat(source.requests).isEqualTo(2);
    assertThat(channel.isActive()).isTrue();
    assertThat(pull().isDone()).as("the next may write").isFalse();
  }

  /** 2.3, 2.4 */
  @Test
  void anEndEndsThePullAndCallsNothing() {
    ChannelFuture pull = pull();
    source.to().onNext(message());
    source.to().onComplete();
    assertThat(pull.isSuccess()).isTrue();
    assertThat(sent()).isEqualTo(1);
    channel.close();
    assertThat(source.cancellations).isZero();
    assertThat(source.requests).isEqualTo(2);
  }

  /** 2.5 */
  @Test
  void aSecondSubscriptionIsCancelled() {
    ChannelFuture pull = pull();
    Source second = new Source();
    source.to().onSubscribe(second);
    assertThat(second.cancellations).isEqualTo(1);
    assertThat(second.requests).isZero();
    assertThat(source.cancellations).isZero();
    source.to().onNext(message());
    assertThat(source.requests).isEqualTo(2);
    source.to().onComplete();
    assertThat(pull.isSuccess()).isTrue();
    assertThat(sent()).isEqualTo(1);

    source.to().onSubscribe(second);
    assertThat(second.cancellations).as("after the end").isEqualTo(2);
    assertThat(second.requests).isZero();
  }

  /** 2.6 */
  @Test
  void aClosedChannelCancelsOnce() {
    ChannelFuture pull = pull();
    channel.close();
    assertThat(pull.cause()).isInstanceOf(ClosedChannelException.class);
    assertThat(source.cancellations).isEqualTo(1);
    ByteBuf late = message();
    source.to().onNext(late);
    assertThat(late.refCnt()).isZero();
    assertThat(source.cancellations).isEqualTo(1);
    assertThat(source.requests).isEqualTo(1);
  }

  /** 2.6 */
  @Test
  void aSubscriptionThatComesAfterTheChannelHasClosedIsCancelled() {
    source.subscribesLater = true;
    pull();
    channel.close();
    source.to().onSubscribe(source);
    assertThat(source.cancellations).isEqualTo(1);
    assertThat(source.requests).isZero();
  }

  /** 2.8 */
  @Test
  void whatComesAfterTheCancellationIsReleased() {
    ChannelFuture pull = pull();
    pull.cancel(false);
    assertThat(source.cancellations).isEqualTo(1);
    for (int i = 0; i < 2; i++) {
      ByteBuf late = message();
      source.to().onNext(late);
      assertThat(late.refCnt()).isZero();
    }
    source.to().onError(new IllegalStateException("made by the test"));
    source.to().onComplete();
    assertThat(pull.isCancelled()).isTrue();
    assertThat(source.cancellations).isEqualTo(1);
    assertThat(source.requests).isEqualTo(1);
    assertThat(sent()).isZero();
    assertThat(channel.isActive()).isTrue();
  }

  /** 2.9 */
  @Test
  void anEndNeedsNoDemand() {
    ChannelFuture pull = pullWithoutDemand();
    source.to().onComplete();
    assertThat(pull.isSuccess()).isTrue();
    assertThat(source.requests).isZero();
  }

  /** 2.10 */
  @Test
  void aFailureNeedsNoDemand() {
    ChannelFuture pull = pullWithoutDemand();
    IllegalStateException failure = new IllegalStateException("made by the test");
    source.to().onError(failure);
    assertThat(pull.cause()).isSameAs(failure);
    assertThat(source.requests).isZero();
  }

  /** 2.13 */
  @Test
  void nothingIsNoSignal() {
    ChannelFuture pull = pull();
    assertThatNullPointerException().isThrownBy(() -> source.to().onNext(null));
    assertThatNullPointerException().isThrownBy(() -> source.to().onError(null));
    assertThatNullPointerException().isThrownBy(() -> source.to().onSubscribe(null));
    source.to().onNext(message());
    source.to().onComplete();
    assertThat(pull.isSuccess()).isTrue();
    assertThat(sent()).isEqualTo(1);
  }

  /** 2.13 */
  @Test
  void aMessageThatCannotBeTakenOverFailsThePull() {
    ChannelFuture pull = pull();
    ByteBuf content = message();
    IllegalStateException failure = new IllegalStateException("made by the test");
    source
        .to()
        .onNext(
            new DefaultByteBufHolder(content) {
              @Override
              public ByteBufHolder replace(ByteBuf other) {
                throw failure;
              }
            });
    assertThat(pull.cause()).isSameAs(failure);
    assertThat(source.cancellations).isEqualTo(1);
    assertThat(source.requests).isEqualTo(1);
    assertThat(content.refCnt()).isZero();
  }

  /** 3.16, broken */
  @Test
  void aRequestThatThrowsFailsThePull() {
    ChannelFuture pull = pull();
    IllegalStateException failure = new IllegalStateException("made by the test");
    source.onRequest =
        () -> {
          throw failure;
        };
    source.to().onNext(message());
    assertThat(pull.cause()).isSameAs(failure);
    assertThat(source.cancellations).isEqualTo(1);
    assertThat(sent()).isEqualTo(1);
  }

  /** 1.1, broken */
  @Test
  void aMessageThatNobodyAskedForFailsThePull() {
    ChannelFuture pull = pullWithoutDemand();
    ByteBuf unasked = message();
    source.to().onNext(unasked);
    assertThat(unasked.refCnt()).isZero();
    assertThat(pull.cause()).isInstanceOf(IllegalStateException.class);
    assertThat(source.cancellations).isEqualTo(1);
    assertThat(channel.isActive()).isTrue();
  }

  /** 1.1, broken */
  @Test
  void oneRequestIsWorthOneMessage() {
    source.onRequest =
        () -> {
          for (int i = 0; i < 10; i++) {
            source.to().onNext(message());
          }
        };
    ChannelFuture pull = pull();
    assertThat(pull.cause()).isInstanceOf(IllegalStateException.class);
    assertThat(source.requests).isEqualTo(1);
    assertThat(source.cancellations).isEqualTo(1);
    assertThat(sent()).isEqualTo(1);
    assertThat(channel.isActive()).isTrue();
  }

  /** 3.3 */
  @Test
  void aPublisherThatAnswersAtOnceLeavesTheLoopToOthersBetween() {
    int messages = 1_000;
    source.subscribesLater = true;
    source.onRequest =
        () -> {
          if (source.requests <= messages) {
            source.to().onNext(message());
          } else {
            source.to().onComplete();
          }
        };
    ChannelFuture pull = pull();
    source.to().onSubscribe(source);
    assertThat(source.requests).isLessThan(messages);
    channel.runPendingTasks();
    assertThat(pull.isSuccess()).isTrue();
    assertThat(sent()).isEqualTo(messages);
  }
}
