package dev.weir.objects.s3.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/**
 * The pieces of a response's body, as they lie in the socket's buffers. A piece is the subscriber's
 * until its {@code onNext} returns. The socket is not read while too much waits for demand. All on
 * the event loop.
 */
final class ResponseBodyPublisher implements Publisher<ByteBuffer>, Subscription {
  private static final int MAX_QUEUED = 16;

  private final Channel channel;
  private final HttpExchange exchange;
  private final Deque<ByteBuf> queue = new ArrayDeque<>();
  private @Nullable Subscriber<? super ByteBuffer> subscriber;
  private long demand;
  private boolean isComplete;
  private boolean isOver;
  private boolean isDraining;

  ResponseBodyPublisher(Channel channel, HttpExchange exchange) {
    this.channel = channel;
    this.exchange = exchange;
  }

  @Override
  public void subscribe(Subscriber<? super ByteBuffer> taker) {
    onLoop(() -> {
      subscriber = taker;
      taker.onSubscribe(this);
      drain();
    });
  }

  @Override
  public void request(long count) {
    onLoop(() -> {
      demand = demand + count < 0 ? Long.MAX_VALUE : demand + count;
      drain();
    });
  }

  @Override
  public void cancel() {
    onLoop(() -> exchange.fail(new IOException("nobody reads the response")));
  }

  /** Hands it over, or keeps it for later. */
  void push(ByteBuf bytes) {
    if (isOver) {
      return;
    }
    queue.add(bytes.retain());
    if (queue.size() == MAX_QUEUED) {
      channel.config().setAutoRead(false);
    }
    drain();
  }

  /** There is no more to come. */
  void complete() {
    isComplete = true;
    drain();
  }

  /** It ends early. */
  void fail(IOException error) {
    if (!isOver) {
      isOver = true;
      drop();
      if (subscriber != null) {
        subscriber.onError(error);
      }
    }
  }

  private void drain() {
    Subscriber<? super ByteBuffer> taker = subscriber;
    if (taker == null || isDraining || isOver) {
      return;
    }
    isDraining = true;
    try {
      while (!isOver && demand > 0 && !queue.isEmpty()) {
        demand--;
        ByteBuf bytes = queue.remove();
        try {
          taker.onNext(bytes.nioBuffer());
        } finally {
          bytes.release();
        }
      }
    } catch (RuntimeException e) {
      isDraining = false;
      exchange.fail(new IOException("the response was not taken: " + e, e));
      return;
    }
    isDraining = false;
    if (queue.isEmpty() && !isOver) {
      if (isComplete) {
        isOver = true;
        taker.onComplete();
        exchange.delivered();
      } else {
        channel.config().setAutoRead(true);
      }
    }
  }

  private void drop() {
    queue.forEach(ByteBuf::release);
    queue.clear();
  }

  private void onLoop(Runnable task) {
    if (channel.eventLoop().inEventLoop()) {
      task.run();
    } else {
      channel.eventLoop().execute(task);
    }
  }
}
