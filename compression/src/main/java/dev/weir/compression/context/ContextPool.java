package dev.weir.compression.context;

import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Keeps contexts that nobody uses for those who will, apart by what they were made for, within a
 * limit of bytes. It knows nothing of those in use. Thread-safe, and no thread waits in it.
 *
 * @param <K> what a context was made for
 * @param <C> a context
 */
public final class ContextPool<K, C extends Context> implements AutoCloseable {
  /** Contexts of one kind that may rest: some for each processor, all of which may need one. */
  private static final int MAX_OF_A_KIND = 2 * Runtime.getRuntime().availableProcessors() + 6;

  /** Makes a context; null if there is no room for it. */
  @FunctionalInterface
  public interface Maker<K, C extends Context> {
    /** For streams of that kind. */
    @Nullable C tryMake(K kind);
  }

  private final Maker<K, C> maker;
  private final long maxIdleBytes;

  /** Counted before they are put down, so that the limit holds. */
  private final AtomicLong idleBytes = new AtomicLong();

  private final Map<K, AtomicReferenceArray<@Nullable C>> shelves = new ConcurrentHashMap<>();
  private volatile boolean closed;

  /**
   * A pool that begins empty.
   *
   * @param maxIdleBytes the most that may rest in it; further contexts are destroyed
   */
  public ContextPool(long maxIdleBytes, Maker<K, C> maker) {
    this.maxIdleBytes = maxIdleBytes;
    this.maker = maker;
  }

  /**
   * A context of a kind, which the caller owns and gives back or destroys.
   *
   * @return null if there is no room for one
   */
  public @Nullable C tryTake(K kind) {
    if (closed) {
      throw new IllegalStateException("the contexts have been closed");
    }
    AtomicReferenceArray<@Nullable C> shelf = shelves.get(kind);
    if (shelf != null) {
      for (int i = 0; i < shelf.length(); i++) {
        C resting = shelf.getPlain(i) == null ? null : shelf.getAndSet(i, null);
        if (resting != null) {
          idleBytes.addAndGet(-resting.bytes());
          return resting;
        }
      }
    }
    C made = maker.tryMake(kind);
    if (made == null && destroyIdle(Long.MAX_VALUE) > 0) {
      made = maker.tryMake(kind);
    }
    return made;
  }

  /** Takes a context back, whatever has become of its last stream, or destroys it. */
  public void giveBack(K kind, C context) {
    boolean kept = false;
    try {
      kept = tryKeep(kind, context);
    } finally {
      if (!kept) {
        context.destroy();
      }
    }
  }

  private boolean tryKeep(K kind, C context) {
    if (closed) {
      return false;
    }
    AtomicReferenceArray<@Nullable C> shelf =
        shelves.computeIfAbsent(kind, first -> new AtomicReferenceArray<>(MAX_OF_A_KIND));
    long bytes = context.bytes();
    if (!reserve(bytes)) {
      return false;
    }
    for (int i = 0; i < shelf.length(); i++) {
      if (shelf.getPlain(i) == null && shelf.compareAndSet(i, null, context)) {
        // After a closing that may not have seen it there, this takes it back, unless it is
        // somebody's already. Of the others that rest it destroys none: their failures are not its.
        if (!closed || !shelf.compareAndSet(i, context, null)) {
          return true;
        }
        break;
      }
    }
    idleBytes.addAndGet(-bytes);
    return false;
  }

  private boolean reserve(long bytes) {
    long before;
    do {
      before = idleBytes.get();
      if (before + bytes > maxIdleBytes) {
        return false;
      }
    } while (!idleBytes.compareAndSet(before, before + bytes));
    return true;
  }

  /**
   * Destroys contexts that rest, until they amount to so many bytes. Where one fails to be
   * destroyed the others are all the same; the first failure is thrown in the end.
   *
   * @return how many bytes it was
   */
  @SuppressWarnings("ReferenceEquality") // Nothing suppresses itself.
  public long destroyIdle(long bytes) {
    long freed = 0;
    Throwable failure = null;
    Iterator<AtomicReferenceArray<@Nullable C>> all = shelves.values().iterator();
    while (freed < bytes && all.hasNext()) {
      AtomicReferenceArray<@Nullable C> shelf = all.next();
      for (int i = 0; i < shelf.length() && freed < bytes; i++) {
        C resting = shelf.getAndSet(i, null);
        if (resting != null) {
          idleBytes.addAndGet(-resting.bytes());
          freed += resting.bytes();
          try {
            resting.destroy();
          } catch (RuntimeException | Error failed) {
            if (failure == null) {
              failure = failed;
            } else if (failure != failed) {
              failure.addSuppressed(failed);
            }
          }
        }
      }
    }
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure != null) {
      throw (RuntimeException) failure;
    }
    return freed;
  }

  /** What rests, in bytes, with what is being given back at this moment. */
  public long idleBytes() {
    return idleBytes.get();
  }

  /** Destroys what rests; from now on, what is given back is destroyed. */
  @Override
  public void close() {
    closed = true;
    destroyIdle(Long.MAX_VALUE);
  }
}
