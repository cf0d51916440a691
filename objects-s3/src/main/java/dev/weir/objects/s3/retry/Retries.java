package dev.weir.objects.s3.retry;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;

/** Runs calls with a limit at once, and tries them again. Thread-safe. */
public final class Retries {
  private final RequestLimiter limiter;
  private final Backoff backoff;
  private final ScheduledExecutorService scheduler;
  private final Function<Throwable, Retried.Verdict> classifier;
  private final Set<Retried<?>> underWay = ConcurrentHashMap.newKeySet();

  /**
   * With limits.
   *
   * @param classifier says what an error means
   */
  public Retries(
      RequestLimiter limiter,
      Backoff backoff,
      ScheduledExecutorService scheduler,
      Function<Throwable, Retried.Verdict> classifier) {
    this.limiter = limiter;
    this.backoff = backoff;
    this.scheduler = scheduler;
    this.classifier = classifier;
  }

  /** Begins a call, now or when there is room. */
  public <T> Retried<T> run(Retried.Start<T> start) {
    Retried<T> call = new Retried<>(this, start);
    underWay.add(call);
    call.done().whenComplete((value, error) -> underWay.remove(call));
    call.submit();
    return call;
  }

  /** Cancels all that are under way; gives back their outcomes. */
  public List<CompletableFuture<?>> cancelAll() {
    List<CompletableFuture<?>> outcomes = new ArrayList<>();
    for (Retried<?> call : underWay) {
      outcomes.add(call.done());
      call.cancel();
    }
    return outcomes;
  }

  /** How many calls may run at once now. */
  public int concurrency() {
    return limiter.limit();
  }

  RequestLimiter limiter() {
    return limiter;
  }

  Backoff backoff() {
    return backoff;
  }

  ScheduledExecutorService scheduler() {
    return scheduler;
  }

  Function<Throwable, Retried.Verdict> classifier() {
    return classifier;
  }
}
