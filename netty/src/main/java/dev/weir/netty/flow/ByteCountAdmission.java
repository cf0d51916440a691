package dev.weir.netty.flow;

import dev.weir.netty.flow.AdmissionRefusedException.Reason;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Counts admitted bytes in front of any allocator. It bounds what tasks hold together, and knows
 * nothing of what the allocator needs for that: a fragmented allocator can still fail to serve an
 * admitted buffer. Buffers do not grow by permits, since an allocator may copy what grows, and then
 * holds both.
 *
 * <p>Strictly first in, first out. Never blocks: threads that arrive while another serves the queue
 * leave a note and go on.
 */
public final class ByteCountAdmission implements Admission {
  /** Requests that may wait at once; far above the connections of one process. */
  private static final int MAX_WAITING = 65_536;

  /** So many that wait no more may be in the queue beside as many as do. */
  private static final int MAX_ENDED = 1_024;

  /** Nobody waits longer: in nanoseconds it is a number still. */
  private static final Duration LONGEST_WAIT = Duration.ofDays(36_500);

  private final long limitBytes;
  private final ByteBufAllocator allocator;
  private final AtomicLong availableBytes;
  private final ConcurrentLinkedQueue<Request> waiting = new ConcurrentLinkedQueue<>();

  /** All that are in the queue; those of them that wait still, or are about to be in it. */
  private final AtomicInteger queuedCount = new AtomicInteger();

  private final AtomicInteger waitingCount = new AtomicInteger();

  /** How often the queue wants serving; whoever raises it from 0 serves until it is 0 again. */
  private final AtomicInteger serveRequests = new AtomicInteger();

  /**
   * Admits up to {@code limitBytes} at a time; buffers come from {@code allocator}.
   *
   * @throws IllegalArgumentException if {@code limitBytes} is not positive
   */
  public ByteCountAdmission(long limitBytes, ByteBufAllocator allocator) {
    if (limitBytes <= 0) {
      throw new IllegalArgumentException("limitBytes: " + limitBytes + " (expected: > 0)");
    }
    this.limitBytes = limitBytes;
    this.allocator = allocator;
    this.availableBytes = new AtomicLong(limitBytes);
  }

  @Override
  public long limitBytes() {
    return limitBytes;
  }

  /** The bytes that are neither promised nor held by a buffer. */
  public long availableBytes() {
    return availableBytes.get();
  }

  @Override
  public CompletionStage<Permit> admit(long bytes, Duration deadline) {
    if (bytes <= 0) {
      throw new IllegalArgumentException("bytes: " + bytes + " (expected: > 0)");
    }
    Request request = new Request(bytes);
    if (bytes > limitBytes) {
      request.refuse(
          Reason.ABOVE_LIMIT, bytes + " bytes exceed the admission limit of " + limitBytes);
      return request;
    }
    long waitNanos = waitNanos(deadline);
    if (waitingCount.incrementAndGet() > MAX_WAITING) {
      waitingCount.decrementAndGet();
      request.refuse(Reason.QUEUE_FULL, MAX_WAITING + " requests wait for admission already");
      return request;
    }
    waiting.add(request);
    queuedCount.incrementAndGet();
    serve();
    if (!request.isDone()) {
      limitWait(request, deadline, waitNanos);
    }
    return request;
  }

  private static long waitNanos(Duration deadline) {
    return deadline.isNegative()
        ? 0
        : deadline.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT.toNanos() : deadline.toNanos();
  }

  /** Notes that a request waits no more, once; it may be in the queue for a while. */
  private void endWait(Request request) {
    if (request.waits.getAndSet(false)) {
      waitingCount.decrementAndGet();
    }
  }

  private void limitWait(Request request, Duration deadline, long waitNanos) {
    request.whenComplete((permit, failure) -> {
      if (permit == null) {
        endWait(request);
        serve();
      }
      request.cancelTimer();
    });
    request.timed(
        ForkJoinPool.commonPool()
            .schedule(() -> request.runOut(deadline), waitNanos, TimeUnit.NANOSECONDS));
  }

  /** Completes requests from the head of the queue while they fit. */
  private void serve() {
    if (serveRequests.getAndIncrement() != 0) {
      return;
    }
    int served = 1;
    try {
      do {
        serveHead();
        dropEnded();
        served = serveRequests.addAndGet(-served);
      } while (served != 0);
    } finally {
      if (served != 0) {
        serveRequests.set(0); // What was thrown ends this round; whoever comes next serves.
      }
    }
  }

  private void serveHead() {
    for (Request head = waiting.peek(); head != null; head = waiting.peek()) {
      if (!head.isDone()) {
        if (!take(head.bytes)) {
          return;
        }
        if (!head.complete(head.permit)) {
          head.permit.close();
        }
      }
      endWait(head);
      waiting.poll();
      queuedCount.decrementAndGet();
    }
  }

  /**
   * Drops those behind the head that wait no more once they are many: each of them costs a few
   * steps, however many there are.
   */
  private void dropEnded() {
    int waits = waitingCount.get();
    if (queuedCount.get() - waits > waits + MAX_ENDED) {
      waiting.removeIf(request -> {
        boolean ended = request.isDone();
        if (ended) {
          queuedCount.decrementAndGet();
        }
        return ended;
      });
    }
  }

  /** How many requests are in the queue, with those that wait no more. */
  int queuedCount() {
    return queuedCount.get();
  }

  /** Only the serving thread takes, so what it saw available can only have grown. */
  private boolean take(long bytes) {
    if (availableBytes.get() < bytes) {
      return false;
    }
    availableBytes.addAndGet(-bytes);
    return true;
  }

  private void giveBack(long bytes) {
    availableBytes.addAndGet(bytes);
    serve();
  }

  private final class Request extends CompletableFuture<Permit> {
    private final long bytes;

    private final CountedPermit permit;

    private final AtomicBoolean waits = new AtomicBoolean(true);
    private volatile @Nullable Future<?> timer;

    Request(long bytes) {
      this.bytes = bytes;
      this.permit = new CountedPermit(bytes);
    }

    /** Takes the timer that refuses it; it may have ended already. */
    void timed(Future<?> newTimer) {
      timer = newTimer;
      if (isDone()) {
        cancelTimer();
      }
    }

    void cancelTimer() {
      Future<?> running = timer;
      if (running != null) {
        running.cancel(false);
      }
    }

    void runOut(Duration deadline) {
      refuse(Reason.DEADLINE, "no room for " + bytes + " bytes within " + deadline);
    }

    void refuse(Reason reason, String message) {
      completeExceptionally(new AdmissionRefusedException(reason, message));
    }
  }

  private final class CountedPermit implements Permit {
    private final AtomicLong unspentBytes;

    CountedPermit(long bytes) {
      this.unspentBytes = new AtomicLong(bytes);
    }

    @Override
    public long unspentBytes() {
      return unspentBytes.get();
    }

    @Override
    public ByteBuf allocate(int bytes) {
      if (bytes <= 0 || bytes > unspentBytes.get()) {
        throw new IllegalArgumentException(
            "bytes: " + bytes + " (expected: 1.." + unspentBytes + ", what the permit has left)");
      }
      ByteBuf counted =
          new CountedByteBuf(allocator.directBuffer(bytes, bytes), () -> giveBack(bytes));
      unspentBytes.addAndGet(-bytes);
      return counted;
    }

    @Override
    public void close() {
      long bytes = unspentBytes.getAndSet(0);
      if (bytes > 0) {
        giveBack(bytes);
      }
    }
  }
}
