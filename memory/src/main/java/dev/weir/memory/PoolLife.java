package dev.weir.memory;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a pool has between its first allocation, which makes it, and its end, which is final even
 * where nothing was ever made. Thread-safe: the monitor is held while the core is made, and while
 * the limit that it is made with changes.
 */
final class PoolLife {
  private final String name;
  private final PoolLedger ledger;
  private final Supplier<PoolCore> maker;
  private volatile @Nullable PoolCore core;
  private volatile boolean closed;

  /**
   * Of a pool that has nothing yet.
   *
   * @param name the pool's
   * @param ledger has its limit
   */
  PoolLife(String name, PoolLedger ledger, Supplier<PoolCore> maker) {
    this.name = name;
    this.ledger = ledger;
    this.maker = maker;
  }

  /** Null before the first allocation. */
  @Nullable PoolCore coreOrNull() {
    return core;
  }

  /**
   * For an allocation; makes it if need be.
   *
   * @throws IllegalStateException if the pool is closed
   */
  PoolCore core() {
    PoolCore parts = core;
    requireOpen();
    return parts != null ? parts : create();
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("pool '" + name + "' is closed");
    }
  }

  private synchronized PoolCore create() {
    PoolCore parts = core;
    if (parts == null) {
      requireOpen();
      parts = maker.get();
      parts.setLimit(ledger.limitBytes());
      core = parts;
      ledger.begin(parts);
    }
    return parts;
  }

  /** Changes the limit, also of what is not made yet. */
  synchronized void setLimit(long bytes) {
    ledger.setLimit(bytes);
    PoolCore parts = core;
    if (parts != null) {
      parts.setLimit(bytes);
    }
  }

  boolean isClosed() {
    return closed;
  }

  /**
   * Nothing is made any more, and nothing allocated.
   *
   * @return whether it was open until now
   */
  synchronized boolean end() {
    boolean before = closed;
    closed = true;
    return !before;
  }
}
