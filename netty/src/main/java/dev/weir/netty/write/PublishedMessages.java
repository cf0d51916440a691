package dev.weir.netty.write;

import dev.weir.netty.loop.LoopTasks;
import io.netty.util.concurrent.EventExecutor;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Subscribes to a publisher on behalf of a channel. Asks for one message at a time, while the
 * channel is ready. Signals may come on any thread, one after the other; they are handled on the
 * event loop.
 */
final class PublishedMessages implements Producer, Flow.Subscriber<Object> {
  private final EventExecutor executor;
  private final Flow.Publisher<?> publisher;
  private @Nullable Outlet outlet;
  private Flow.@Nullable Subscription subscription;

  /** Signals on their way to the event loop, which none may overtake. */
  private final Queue<Signal> onTheirWay = new ConcurrentLinkedQueue<>();

  private boolean awaiting;
  private boolean requesting;
  private boolean over;

  PublishedMessages(EventExecutor executor, Flow.Publisher<?> publisher) {
    this.executor = executor;
    this.publisher = publisher;
  }

  @Override
  public void produce(Outlet to) {
    if (outlet == null) {
      outlet = to;
      publisher.subscribe(this);
    } else {
      request();
    }
  }

  @Override
  public void stopped(Throwable cause) {
    over = true;
    try {
      // The tasks for them find nothing, whenever the loop takes them.
      for (Signal late = onTheirWay.poll(); late != null; late = onTheirWay.poll()) {
        late.otherwise().run();
      }
    } finally {
      if (subscription != null) {
        subscription.cancel();
      }
    }
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    Objects.requireNonNull(given);
    onLoop(
        () -> {
          if (over || subscription != null) {
            given.cancel();
            return;
          }
          subscription = given;
          request();
        },
        given::cancel);
  }

  @Override
  public void onNext(Object message) {
    Objects.requireNonNull(message);
    onLoop(
        () -> {
          if (over || outlet == null) {
            Owned.of(message).release();
            return;
          }
          awaiting = false;
          outlet.write(message);
          request();
        },
        () -> Unwritten.release(message));
  }

  @Override
  public void onError(Throwable failure) {
    Objects.requireNonNull(failure);
    onLoop(() -> end(failure), () -> {});
  }

  @Override
  public void onComplete() {
    onLoop(() -> end(null), () -> {});
  }

  private void end(@Nullable Throwable failure) {
    if (over || outlet == null) {
      return;
    }
    over = true;
    subscription = null;
    if (failure == null) {
      outlet.complete();
    } else {
      outlet.fail(failure);
    }
  }

  /** A publisher may answer within the call: then it is asked again here, not deeper down. */
  private void request() {
    Flow.Subscription source = subscription;
    Outlet sink = outlet;
    if (requesting || source == null || sink == null) {
      return;
    }
    requesting = true;
    try {
      while (!over && !awaiting && sink.isReady()) {
        awaiting = true;
        source.request(1);
      }
    } finally {
      requesting = false;
    }
  }

  private void onLoop(Runnable task, Runnable otherwise) {
    // Whoever gives this signal has seen those before it, so it sees them on their way.
    if (executor.inEventLoop() && onTheirWay.isEmpty()) {
      task.run();
      return;
    }
    Signal signal = null;
    boolean isOnItsWay = false;
    try {
      signal = new Signal(task, otherwise);
      isOnItsWay = onTheirWay.add(signal);
      // Whichever of these tasks comes first takes the first signal.
      if (!LoopTasks.tryBring(executor, new Next())) {
        throw new OutOfMemoryError("no Java heap for what a publisher tells");
      }
    } catch (Throwable noHeap) {
      if (isOnItsWay && !onTheirWay.remove(signal)) {
        return; // The task of an earlier signal has taken it.
      }
      // The publisher hears that its signal has not arrived.
      otherwise.run();
      throw noHeap;
    }
  }

  /** Takes the first signal. */
  private final class Next implements LoopTasks.Task {
    @Override
    public void run() {
      Signal first = onTheirWay.poll();
      if (first != null) {
        first.task().run();
      }
    }

    @Override
    public void lost() {
      Signal first = onTheirWay.poll();
      if (first != null) {
        first.otherwise().run();
      }
    }
  }

  /**
   * What a publisher has told.
   *
   * @param task handles it, on the event loop
   * @param otherwise gives back what it holds, if the loop has ended
   */
  private record Signal(Runnable task, Runnable otherwise) {}
}
