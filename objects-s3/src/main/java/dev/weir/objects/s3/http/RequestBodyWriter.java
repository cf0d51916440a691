package dev.weir.objects.s3.http;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.LastHttpContent;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/**
 * Writes a request's body: the publisher's own buffers, a few at a time. A buffer is released when
 * its write is over, whatever with.
 */
final class RequestBodyWriter implements Subscriber<ByteBuffer> {
  /** Buffers on their way at once. */
  private static final int BUFFERS = 4;

  private final HttpExchange exchange;
  private final Channel channel;

  // On the event loop.
  private @Nullable Subscription subscription;
  private @Nullable Runnable released;
  private int pendingWrites;
  private boolean isComplete;
  private boolean isStopped;

  RequestBodyWriter(HttpExchange exchange, Channel channel) {
    this.exchange = exchange;
    this.channel = channel;
  }

  @Override
  public void onSubscribe(Subscription source) {
    onLoop(() -> {
      subscription = source;
      if (isStopped) {
        source.cancel();
      } else {
        source.request(BUFFERS);
      }
    });
  }

  @Override
  public void onNext(ByteBuffer bytes) {
    onLoop(() -> {
      if (isStopped) {
        return;
      }
      pendingWrites++;
      channel
          .writeAndFlush(new DefaultHttpContent(Unpooled.wrappedBuffer(bytes)))
          .addListener(done -> {
            pendingWrites--;
            if (done.isSuccess()) {
              exchange.moved();
              if (subscription != null && !isStopped) {
                subscription.request(1);
              }
            } else {
              exchange.fail(new IOException("the request could not be sent", done.cause()));
            }
            tellReleased();
          });
    });
  }

  @Override
  public void onError(Throwable error) {
    onLoop(() -> exchange.fail(new IOException("the content could not be read: " + error, error)));
  }

  @Override
  public void onComplete() {
    onLoop(() -> {
      if (!isStopped) {
        channel
            .writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT)
            .addListener(done -> {
              if (done.isSuccess()) {
                isComplete = true;
                exchange.moved();
              } else {
                exchange.fail(new IOException("the request could not be sent", done.cause()));
              }
            });
      }
    });
  }

  private void onLoop(Runnable task) {
    if (channel.eventLoop().inEventLoop()) {
      task.run();
    } else {
      channel.eventLoop().execute(task);
    }
  }

  boolean isComplete() {
    return isComplete;
  }

  /** Takes no more of the body, and closes the connection: half a request is none. */
  void stop() {
    if (!isStopped && !isComplete) {
      isStopped = true;
      if (subscription != null) {
        subscription.cancel();
      }
      channel.close();
    }
  }

  /** Runs when no write is pending; after the exchange's end, when none can follow. */
  void whenReleased(Runnable task) {
    isStopped = true;
    released = task;
    tellReleased();
  }

  private void tellReleased() {
    Runnable task = released;
    if (pendingWrites == 0 && task != null) {
      released = null;
      task.run();
    }
  }
}
