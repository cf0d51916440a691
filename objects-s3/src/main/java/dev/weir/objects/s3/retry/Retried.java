package dev.weir.objects.s3.retry;

import dev.weir.objects.s3.http.Attempt;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A call, with as many attempts as it needs and may have. Its outcome comes when its last attempt
 * is over in all parts: whatever memory it was given is nobody's then.
 *
 * <pre>
 *   WAITING ──► RUNNING ──► done
 *      ▲           │ try again
 *      └── PAUSED ◄┘
 * </pre>
 */
public final class Retried<T> implements RequestLimiter.Waiter {
  /** Begins an attempt. */
  public interface Start<T> {
    /**
     * Starts the SDK's call.
     *
     * @param number of the attempt, from 1
     */
    CompletableFuture<T> attempt(Attempt attempt, int number);
  }

  /** What an error means. */
  public enum Verdict {
    /** The same again would fail again. */
    FINAL,
    /** It may have been bad luck. */
    RETRY,
    /** The service asks for less. */
    THROTTLED
  }

  private final Retries retries;
  private final Start<T> start;
  private final CompletableFuture<T> done = new CompletableFuture<>();

  // Under this object's monitor.
  private int attempts;
  private @Nullable Attempt running;
  private @Nullable Future<?> pause;
  private boolean isCancelled;

  Retried(Retries retries, Start<T> start) {
    this.retries = retries;
    this.start = start;
  }

  /** The value of the last attempt, its error, or a {@link CancellationException}. */
  public CompletableFuture<T> done() {
    return done;
  }

  /** How many attempts have begun. */
  public synchronized int attempts() {
    return attempts;
  }

  void submit() {
    if (!retries.limiter().trySubmit(this)) {
      done.completeExceptionally(new RejectedExecutionException("too many requests wait"));
    }
  }

  @Override
  public void begin(int generation) {
    Attempt attempt = new Attempt();
    int number = 0;
    synchronized (this) {
      if (!isCancelled) {
        number = ++attempts;
        running = attempt;
      }
    }
    if (number == 0) {
      retries.limiter().ended(RequestLimiter.End.OTHER, generation);
      done.completeExceptionally(cancellation());
      return;
    }
    CompletableFuture<T> call;
    try {
      call = start.attempt(attempt, number);
    } catch (RuntimeException e) {
      call = CompletableFuture.failedFuture(e);
    }
    CompletableFuture<T> outcome = call;
    call.whenComplete((value, error) -> attempt.callEnded());
    attempt.ended().whenComplete((none, never) -> ended(outcome, generation));
  }

  private void ended(CompletableFuture<T> outcome, int generation) {
    Throwable error = outcome.handle((value, failure) -> failure).join();
    if (error instanceof CompletionException && error.getCause() != null) {
      error = error.getCause();
    }
    Verdict verdict = error == null ? Verdict.FINAL : retries.classifier().apply(error);
    RequestLimiter.End end =
        error == null
            ? RequestLimiter.End.SUCCEEDED
            : verdict == Verdict.THROTTLED
                ? RequestLimiter.End.THROTTLED
                : RequestLimiter.End.OTHER;
    retries.limiter().ended(end, generation);
    boolean again;
    boolean cancelled;
    synchronized (this) {
      running = null;
      cancelled = isCancelled;
      again = verdict != Verdict.FINAL && !cancelled && attempts < retries.backoff().maxAttempts();
    }
    if (error == null) {
      done.complete(outcome.resultNow());
    } else if (again) {
      pause();
    } else {
      done.completeExceptionally(cancelled ? cancellation() : error);
    }
  }

  private void pause() {
    long delayNanos = retries.backoff().delayNanos(attempts(), ThreadLocalRandom.current());
    try {
      boolean ends;
      synchronized (this) {
        Future<?> next =
            retries.scheduler().schedule(this::submit, delayNanos, TimeUnit.NANOSECONDS);
        pause = next;
        ends = isCancelled && next.cancel(false);
      }
      if (ends) {
        done.completeExceptionally(cancellation());
      }
    } catch (RejectedExecutionException e) {
      done.completeExceptionally(cancellation());
    }
  }

  /** Ends it early: at once while it waits or pauses, and when its attempt has ended otherwise. */
  public void cancel() {
    Attempt ends;
    boolean isPaused;
    synchronized (this) {
      isCancelled = true;
      ends = running;
      isPaused = pause != null && pause.cancel(false);
    }
    if (ends != null) {
      ends.cancel();
    } else if (isPaused || retries.limiter().tryWithdraw(this)) {
      done.completeExceptionally(cancellation());
    }
  }

  private static CancellationException cancellation() {
    return new CancellationException("the request was cancelled");
  }
}
