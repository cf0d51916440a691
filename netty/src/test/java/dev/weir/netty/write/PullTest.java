package dev.weir.netty.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.weir.netty.TransportUnderTest;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Producers and publishers that are asked while their channel can take messages. */
class PullTest extends SocketsWithWriteGate {
  PullTest() {
    super(TransportUnderTest.NIO);
  }

  @Test
  void aProducerThatThrowsHasWhatItWroteSent() throws Exception {
    listen(LONG);
    Channel channel = connect();
    IllegalStateException failure = new IllegalStateException("in the middle");
    ChannelFuture pull =
        WriteGate.pull(
            channel,
            outlet -> {
              outlet.write(message());
              throw failure;
            });
    assertThat(pull.await().cause()).isSameAs(failure);
    assertThat(read(MESSAGE_BYTES)).isEqualTo(MESSAGE_BYTES);
  }

  @Test
  void theEndOfAPublisherDoesNotOvertakeItsLastMessage() throws Exception {
    listen(LONG);
    Channel channel = connect();
    CompletableFuture<Flow.Subscriber<? super ByteBuf>> subscribed = new CompletableFuture<>();
    ChannelFuture pull =
        WriteGate.pullFrom(
            channel,
            (Flow.Publisher<ByteBuf>)
                subscriber -> {
                  subscriber.onSubscribe(
                      new Flow.Subscription() {
                        @Override
                        public void request(long n) {
                          subscribed.complete(subscriber);
                        }

                        @Override
                        public void cancel() {}
                      });
                });
    Flow.Subscriber<? super ByteBuf> subscriber = subscribed.get();
    ByteBuf last = message();
    channel
        .eventLoop()
        .submit(() -> {
          Thread.ofVirtual().start(() -> subscriber.onNext(last)).join();
          subscriber.onComplete();
          return null;
        })
        .sync();
    assertThat(pull.await().isSuccess()).isTrue();
    assertThat(read(MESSAGE_BYTES)).isEqualTo(MESSAGE_BYTES);
  }

  @Test
  void aProducerIsAskedUntilItIsDone() throws Exception {
    listen(LONG);
    Channel channel = connect();
    int messages = 1_000;
    AtomicInteger left = new AtomicInteger(messages);
    AtomicBoolean elsewhere = new AtomicBoolean();
    ChannelFuture pull =
        WriteGate.pull(
            channel,
            outlet -> {
              if (elsewhere.get()) {
                return;
              }
              int number = left.getAndDecrement();
              if (number == 0) {
                outlet.complete();
              } else if (number % 10 != 0) {
                outlet.write(message());
              } else {
                // The source has nothing at present.
                elsewhere.set(true);
                Thread.ofVirtual()
                    .start(() -> {
                      elsewhere.set(false);
                      outlet.resume();
                    });
              }
            });
    long bytes = (messages - messages / 10) * (long) MESSAGE_BYTES;
    assertThat(read(bytes)).isEqualTo(bytes);
    assertThat(pull.await().isSuccess()).isTrue();
  }

  @Test
  void aPublisherIsAskedForWhatThePeerTakes() throws Exception {
    listen(LONG);
    Channel channel = connect();
    int messages = 500;
    ChannelFuture ended;
    try (SubmissionPublisher<ByteBuf> publisher = new SubmissionPublisher<>(Runnable::run, 4)) {
      CompletableFuture<Void> submitted = new CompletableFuture<>();
      ChannelFuture pull = WriteGate.pullFrom(channel, publisher);
      Thread.ofVirtual()
          .start(() -> {
            spinWhile(() -> publisher.getNumberOfSubscribers() == 0);
            for (int i = 0; i < messages; i++) {
              publisher.submit(message());
            }
            submitted.complete(null);
          });
      assertThat(read(messages * (long) MESSAGE_BYTES)).isEqualTo(messages * (long) MESSAGE_BYTES);
      submitted.get();
      assertThat(pull.isDone()).isFalse();
      ended = pull;
    }
    assertThat(ended.await().isSuccess()).isTrue();
  }

  @Test
  void aPublisherThatAnswersAtOnceNeedsNoStack() throws Exception {
    listen(LONG);
    Channel channel = connect();
    long messages = 100_000;
    ChannelFuture pull = WriteGate.pullFrom(channel, new Immediate(messages));
    assertThat(read(messages)).isEqualTo(messages);
    assertThat(pull.await().isSuccess()).isTrue();
  }

  @Test
  void aPublisherIsCancelledWhenItsChannelCloses() throws Exception {
    listen(LONG);
    Channel channel = connect();
    Immediate publisher = new Immediate(Long.MAX_VALUE);
    ChannelFuture pull = WriteGate.pullFrom(channel, publisher);
    publisher.subscribed.get();
    channel.close().sync();
    assertThat(pull.await().cause()).isInstanceOf(ClosedChannelException.class);
    publisher.cancelled.get();
  }

  @Test
  void aPullThatIsCancelledEndsItsPublisher() throws Exception {
    listen(LONG);
    Channel channel = connect();
    Immediate publisher = new Immediate(Long.MAX_VALUE);
    ChannelFuture pull = WriteGate.pullFrom(channel, publisher);
    publisher.subscribed.get();
    pull.cancel(false);
    publisher.cancelled.get();
    assertThat(channel.isActive()).isTrue();
  }

  @Test
  void onlyOneProducerWritesAtATime() throws Exception {
    listen(LONG);
    Channel channel = connect();
    WriteGate.pull(channel, outlet -> {});
    assertThat(WriteGate.pull(channel, outlet -> {}).await().cause())
        .isInstanceOf(IllegalStateException.class);
    channel.pipeline().remove(WriteGateHandler.class);
    assertThat(catchThrowable(() -> WriteGate.pull(channel, outlet -> {})))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** Gives a buffer of one byte within each request. */
  private final class Immediate implements Flow.Publisher<ByteBuf> {
    final CompletableFuture<Void> subscribed = new CompletableFuture<>();
    final CompletableFuture<Void> cancelled = new CompletableFuture<>();
    private long left;

    Immediate(long messages) {
      left = messages;
    }

    @Override
    public void subscribe(Flow.Subscriber<? super ByteBuf> subscriber) {
      subscriber.onSubscribe(
          new Flow.Subscription() {
            @Override
            public void request(long n) {
              subscribed.complete(null);
              for (long i = 0; i < n && left > 0; i++) {
                left--;
                subscriber.onNext(allocator.directBuffer(1).writeByte(1));
              }
              if (left == 0) {
                left = -1;
                subscriber.onComplete();
              }
            }

            @Override
            public void cancel() {
              cancelled.complete(null);
            }
          });
    }
  }
}
