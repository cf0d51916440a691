package dev.weir.objects.s3.retry;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Lets requests run, as many at once as {@link AimdLimit} says; the others wait, first come, first
 * served. Thread-safe; a request is started on the thread that gave way to it.
 */
public final class RequestLimiter {
  private final AimdLimit limit;
  private final int maxWaiting;
  private final Deque<Waiter> waiting = new ArrayDeque<>();
  private int running;

  /** Somebody who waits for leave to begin. */
  public interface Waiter {
    /**
     * Begins; {@link #ended} follows.
     *
     * @param generation to be given back
     */
    void begin(int generation);
  }

  /** How a request ended. */
  public enum End {
    /** It was served. */
    SUCCEEDED,
    /** The service has too much to do. */
    THROTTLED,
    /** Anything else: it says nothing about how much the service can do. */
    OTHER
  }

  /**
   * With limits.
   *
   * @param maxRequests the most at once
   * @param maxWaiting the most that wait
   */
  public RequestLimiter(int maxRequests, int maxWaiting) {
    this.limit = new AimdLimit(maxRequests);
    this.maxWaiting = maxWaiting;
  }

  /** Begins it now or later; false: too many wait. */
  public boolean trySubmit(Waiter waiter) {
    synchronized (this) {
      if (running >= limit.requests()) {
        if (waiting.size() >= maxWaiting) {
          return false;
        }
        waiting.add(waiter);
        return true;
      }
      running++;
    }
    waiter.begin(generation());
    return true;
  }

  /** False: it does not wait. Otherwise it never begins. */
  public synchronized boolean tryWithdraw(Waiter waiter) {
    return waiting.remove(waiter);
  }

  /** A request that began has ended. */
  public void ended(End end, int generation) {
    List<Waiter> next = new ArrayList<>();
    int current;
    synchronized (this) {
      running--;
      switch (end) {
        case SUCCEEDED -> limit.succeeded();
        case THROTTLED -> limit.throttled(generation);
        case OTHER -> {}
      }
      while (running < limit.requests() && !waiting.isEmpty()) {
        running++;
        next.add(waiting.remove());
      }
      current = limit.generation();
    }
    next.forEach(waiter -> waiter.begin(current));
  }

  private synchronized int generation() {
    return limit.generation();
  }

  /** How many may run at once now. */
  public synchronized int limit() {
    return limit.requests();
  }

  /** How many run. */
  public synchronized int running() {
    return running;
  }

  /** How many wait. */
  public synchronized int waiting() {
    return waiting.size();
  }
}
