package dev.weir.streams;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A stream as readers see it: its newest published state, and those who wait for the next one.
 *
 * <p>Threads: the committer publishes; anybody reads and waits.
 */
public final class Stream {
  /** Every producer of a stream costs memory for as long as the stream lives. */
  static final int MAX_PRODUCERS = 10_000;

  private static final System.Logger LOG = System.getLogger(Stream.class.getName());

  private final Map<String, ProducerState> producers = new ConcurrentHashMap<>();
  private final Object waitLock = new Object();
  private List<Waiter> waiters = new ArrayList<>();
  private volatile StreamState state;
  private volatile boolean removed;
  private volatile long lastUsedMillis;

  Stream(StreamState state, long nowMillis) {
    this.state = state;
    this.lastUsedMillis = nowMillis;
  }

  /** The newest durable state. */
  public StreamState state() {
    return state;
  }

  /** Whether the stream was deleted or has expired since it was looked up. */
  public boolean isRemoved() {
    return removed;
  }

  /** Starts the idle time anew, as reads and appends do. */
  void touch(long nowMillis) {
    lastUsedMillis = nowMillis;
  }

  /** Whether its time is over; that of an idle stream is not while somebody waits for news. */
  boolean isExpired(long nowMillis) {
    StreamConfig config = state.config();
    if (config.expiresAtMillis() != StreamConfig.NONE && nowMillis >= config.expiresAtMillis()) {
      return true;
    }
    return config.ttlSeconds() != StreamConfig.NONE
        && nowMillis - lastUsedMillis >= Math.multiplyExact(config.ttlSeconds(), 1000L)
        && !isAwaited();
  }

  private boolean isAwaited() {
    synchronized (waitLock) {
      return !waiters.isEmpty();
    }
  }

  /**
   * Calls back once, when the stream has bytes after {@code offset}, or is closed, or removed; at
   * once when that is so already. The callback runs on the committer's thread or the caller's: it
   * must be short, and should not throw. What it throws on the committer's thread is logged.
   *
   * @return what cancels the wait
   */
  Wait await(long offset, Runnable callback) {
    Waiter waiter = new Waiter(this, offset, callback);
    synchronized (waitLock) {
      if (!waiter.isDue(state, removed)) {
        waiters.add(waiter);
        return waiter;
      }
    }
    callback.run();
    return waiter;
  }

  @Nullable ProducerState producer(String producerId) {
    return producers.get(producerId);
  }

  Map<String, ProducerState> producers() {
    return producers;
  }

  void publish(StreamState next, Map<String, ProducerState> changedProducers) {
    producers.putAll(changedProducers);
    state = next;
    wake();
  }

  void publishRemoved() {
    removed = true;
    wake();
  }

  private void wake() {
    List<Waiter> due = new ArrayList<>();
    synchronized (waitLock) {
      if (waiters.isEmpty()) {
        return;
      }
      List<Waiter> rest = new ArrayList<>();
      for (Waiter waiter : waiters) {
        (waiter.isDue(state, removed) ? due : rest).add(waiter);
      }
      waiters = rest;
    }
    due.forEach(Waiter::tell);
  }

  /** A wait that can be given up. */
  public interface Wait {
    /** Ends the wait; a callback that is already running is not stopped. */
    void cancel();
  }

  private static final class Waiter implements Wait {
    private final Stream stream;
    private final long offset;
    private final Runnable callback;

    Waiter(Stream stream, long offset, Runnable callback) {
      this.stream = stream;
      this.offset = offset;
      this.callback = callback;
    }

    boolean isDue(StreamState state, boolean removed) {
      return removed || state.softDeleted() || state.closed() || state.tailOffset() > offset;
    }

    /** Others wait as well, and what they wait for is durable: one who is not told stops nobody. */
    void tell() {
      try {
        callback.run();
      } catch (Throwable untold) {
        LOG.log(System.Logger.Level.WARNING, "a reader could not be told of a change", untold);
      }
    }

    @Override
    public void cancel() {
      synchronized (stream.waitLock) {
        stream.waiters.remove(this);
      }
    }
  }
}
