package dev.weir.objects.s3;

import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.Optional;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import software.amazon.awssdk.core.async.AsyncRequestBody;

/** A range of a content as a request's body: views of its memory, anew for each subscriber. */
record ContentBody(ContentBytes content, long offset, long lengthBytes)
    implements AsyncRequestBody {
  @Override
  public Optional<Long> contentLength() {
    return Optional.of(lengthBytes);
  }

  @Override
  public void subscribe(Subscriber<? super ByteBuffer> subscriber) {
    subscriber.onSubscribe(new Pieces(subscriber, content.pieces(offset, lengthBytes).iterator()));
  }

  /**
   * One reading. Demand may come from within onNext: it is served by the loop that runs already.
   */
  private static final class Pieces implements Subscription {
    private final Subscriber<? super ByteBuffer> subscriber;
    private final Iterator<ByteBuffer> pieces;
    private long demand;
    private boolean isServing;
    private boolean isOver;

    Pieces(Subscriber<? super ByteBuffer> subscriber, Iterator<ByteBuffer> pieces) {
      this.subscriber = subscriber;
      this.pieces = pieces;
    }

    @Override
    public void request(long count) {
      synchronized (this) {
        demand = demand + count < 0 ? Long.MAX_VALUE : demand + count;
        if (isServing || isOver) {
          return;
        }
        isServing = true;
      }
      serve();
    }

    private void serve() {
      while (true) {
        ByteBuffer next = null;
        synchronized (this) {
          if (isOver || (pieces.hasNext() && demand == 0)) {
            isServing = false;
            return;
          }
          if (pieces.hasNext()) {
            demand--;
            next = pieces.next();
          } else {
            isOver = true;
          }
        }
        if (next == null) {
          subscriber.onComplete();
          return;
        }
        subscriber.onNext(next);
      }
    }

    @Override
    public synchronized void cancel() {
      isOver = true;
    }
  }
}
