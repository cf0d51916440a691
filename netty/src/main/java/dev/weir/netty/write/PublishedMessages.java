package dev.weir.netty.write;

import dev.weir.netty.loop.LoopTasks;
import io.netty.util.concurrent.EventExecutor;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Flow;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Subscribes to a publisher on behalf of a channel. Asks for one message at a time, while the
 * channel is ready; one that comes without being asked for fails the pull. Signals may come on any
 * thread, one after the other; they are handled on the event loop.
 */
final class PublishedMessages implements Producer, Flow.Subscriber<Object> {
  /** Where the next message is. */
  private enum Next {
    /** Not asked for. */
    UNASKED,
    /** With the publisher. */
    ASKED,
    /** On its way to the event loop. */
    GIVEN,
    /** Given without being asked for, and released: so are all others. */
    EXCESSIVE
  }

  private final EventExecutor executor;
  private final Flow.Publisher<?> publisher;
  private @Nullable Outlet outlet;
  private volatile Flow.@Nullable Subscription subscription;

  /** Signals on their way to the event loop, which none may overtake. */
  private final Queue<Signal> onTheirWay = new ConcurrentLinkedQueue<>();

  /** Where it is given, it is known there whether it was asked for: no others wait for the loop. */
  private final AtomicReference<Next> next = new AtomicReference<>(Next.UNASKED);

  /** Whether the event loop took no task for something that was told: nothing may follow it. */
  private volatile boolean lost;

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
      request(Integer.MAX_VALUE);
    }
  }

  @Override
  public void stopped(Throwable cause) {
    over = true;
    try {
      // The tasks for them find nothing, whenever the loop takes them.
      for (Signal late = onTheirWay.poll(); late != null; late = onTheirWay.poll()) {
        late.lost();
      }
    } finally {
      Flow.Subscription source = subscription;
      if (source != null) {
        source.cancel();
      }
    }
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    Objects.requireNonNull(given);
    onLoop(
        new Signal() {
          @Override
          public void heard() {
            if (over || subscription != null) {
              given.cancel();
              return;
            }
            subscription = given;
            request(1);
          }

          @Override
          public void lost() {
            given.cancel();
          }
        });
  }

  @Override
  public void onNext(Object message) {
    Objects.requireNonNull(message);
    if (next.compareAndSet(Next.ASKED, Next.GIVEN)) {
      onLoop(new Given(message));
      return;
    }
    Unwritten.release(message);
    if (next.get() != Next.EXCESSIVE) {
      onLoop(this::refuse);
      next.set(Next.EXCESSIVE);
    }
  }

  @Override
  public void onError(Throwable failure) {
    Objects.requireNonNull(failure);
    onLoop(() -> end(failure));
  }

  @Override
  public void onComplete() {
    onLoop(() -> end(null));
  }

  private void end(@Nullable Throwable failure) {
    if (over || outlet == null) {
      return;
    }
    over = true;
    subscription = null;
    if (failure != null) {
      outlet.fail(failure);
    } else if (lost) {
      giveUp();
    } else {
      outlet.complete();
    }
  }

  private void take(Object message) {
    Outlet sink = outlet;
    if (over || sink == null) {
      Unwritten.release(message);
      return;
    }
    next.compareAndSet(Next.GIVEN, Next.UNASKED);
    try {
      sink.write(message);
    } catch (Throwable failure) {
      sink.fail(failure);
    }
    request(1);
  }

  private void refuse() {
    if (!over && outlet != null) {
      outlet.fail(new IllegalStateException("the publisher gave more than it was asked for"));
    }
  }

  /**
   * Asks for messages while the channel is ready. A publisher may answer within the call: then it
   * is asked again here, not deeper down, up to so many times, and after that by the next task.
   */
  private void request(int most) {
    Flow.Subscription source = subscription;
    Outlet sink = outlet;
    if (requesting || source == null || sink == null) {
      return;
    }
    requesting = true;
    try {
      for (int left = most; !over && sink.isReady(); left--) {
        if (left == 0 && next.get() == Next.UNASKED) {
          sink.resume();
          return;
        }
        if (!next.compareAndSet(Next.UNASKED, Next.ASKED)) {
          return;
        }
        source.request(1);
      }
    } catch (Throwable failure) {
      sink.fail(failure);
    } finally {
      requesting = false;
    }
  }

  private void onLoop(Signal signal) {
    // Whoever gives this signal has seen those before it, so it sees them on their way.
    if (executor.inEventLoop() && onTheirWay.isEmpty()) {
      signal.heard();
      return;
    }
    onTheirWay.add(signal);
    LoopTasks.bring(executor, new FirstSignal());
  }

  /** Nothing may follow what is lost, and nobody would ask for it. Any thread. */
  private void giveUp() {
    Flow.Subscription source = subscription;
    if (source != null) {
      source.cancel();
    }
    Outlet sink = outlet;
    if (sink != null) {
      sink.fail(new RejectedExecutionException("the event loop took no task for a message"));
    }
  }

  /** Takes the first signal, whichever of these tasks comes first. */
  private final class FirstSignal implements LoopTasks.Task {
    @Override
    public void run() {
      Signal first = onTheirWay.poll();
      if (first != null) {
        first.heard();
      }
    }

    @Override
    public void lost() {
      lost = true;
      Signal first = onTheirWay.poll();
      if (first != null) {
        first.lost();
      }
      giveUp();
    }
  }

  /** What a publisher has told. */
  @FunctionalInterface
  private interface Signal {
    /** Handles it, on the event loop. */
    void heard();

    /** Gives back what it holds: it does not get to the loop. */
    default void lost() {}
  }

  /** A message that was asked for. */
  private final class Given implements Signal {
    private final Object message;

    Given(Object message) {
      this.message = message;
    }

    @Override
    public void heard() {
      take(message);
    }

    @Override
    public void lost() {
      Unwritten.release(message);
    }
  }
}
