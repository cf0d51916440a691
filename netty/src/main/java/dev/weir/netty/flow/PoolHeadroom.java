package dev.weir.netty.flow;

import dev.weir.memory.Grant;
import dev.weir.memory.Pool;
import dev.weir.memory.budget.BudgetExceededError;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Follows the live pages of a Weir pool: memory is short when fewer than {@code shortBytes} of the
 * limit are free, tight halfway to {@code reliefBytes}, and neither when the pool can promise
 * those. Dirty pages count as free, since the pool gives them back when it needs them; those under
 * free slots of slabs in use count as live until they are purged. The thresholds are shares of the
 * limit that the pool has when this is made: they fall and rise with it.
 *
 * <p>Relief is a grant, closed as soon as it is given: it stands in line with the requests of work
 * that was let in before, so these are served first. With no place left in that line, the wait for
 * relief ends in vain.
 */
public final class PoolHeadroom implements Headroom {
  private final Pool pool;

  /** The limit that the thresholds were made for. */
  private final long limitBytes;

  private final long shortBytes;
  private final long reliefBytes;
  private final Duration patience;

  /**
   * Short below an eighth of the pool's limit, relieved by a quarter; each wait for relief ends
   * after half a second.
   */
  public PoolHeadroom(Pool pool) {
    this(pool, pool.limitBytes() / 8, pool.limitBytes() / 4, Duration.ofMillis(500));
  }

  /**
   * Follows {@code pool} with thresholds of its own.
   *
   * @param patience after which a wait for relief ends in vain
   * @throws IllegalArgumentException unless {@code 0 < shortBytes <= reliefBytes}, the pool can
   *     promise {@code reliefBytes} when nothing is live, and the patience is positive
   */
  public PoolHeadroom(Pool pool, long shortBytes, long reliefBytes, Duration patience) {
    if (!patience.isPositive()) {
      throw new IllegalArgumentException("patience: " + patience + " (expected: > 0)");
    }
    if (shortBytes <= 0 || reliefBytes < shortBytes) {
      throw new IllegalArgumentException(
          "shortBytes: %d, reliefBytes: %d (expected: 0 < shortBytes <= reliefBytes)"
              .formatted(shortBytes, reliefBytes));
    }
    long largestBytes = pool.largestGrantBytes(pool.rootBudget());
    if (reliefBytes > largestBytes) {
      throw new IllegalArgumentException(
          "reliefBytes: %d (expected: <= %d, the most that the pool can promise)"
              .formatted(reliefBytes, largestBytes));
    }
    this.pool = pool;
    this.limitBytes = pool.limitBytes();
    this.shortBytes = shortBytes;
    this.reliefBytes = reliefBytes;
    this.patience = patience;
  }

  @Override
  public boolean isShort() {
    return isLessFree(shortBytes);
  }

  @Override
  public boolean isTight() {
    return isLessFree((shortBytes + reliefBytes) / 2);
  }

  private boolean isLessFree(long thresholdBytes) {
    long nowBytes = pool.limitBytes();
    return nowBytes - pool.liveBytes() < inProportion(thresholdBytes, nowBytes);
  }

  private long inProportion(long thresholdBytes, long nowBytes) {
    return nowBytes == limitBytes
        ? thresholdBytes
        : (long) (thresholdBytes * ((double) nowBytes / limitBytes));
  }

  @Override
  public CompletionStage<Boolean> relief() {
    CompletableFuture<Grant> room;
    try {
      // What can never be promised would count as relief that cannot be told.
      long bytes =
          Math.min(
              inProportion(reliefBytes, pool.limitBytes()),
              pool.largestGrantBytes(pool.rootBudget()));
      room = pool.grant(Math.max(1, bytes), patience);
    } catch (IllegalStateException | Error poolClosedOrFailed) {
      return CompletableFuture.failedFuture(poolClosedOrFailed);
    }
    if (room.isCompletedExceptionally()
        && room.exceptionNow() instanceof BudgetExceededError refused
        && GrantRefusals.isQueueFull(refused, pool)) {
      return new CompletableFuture<Boolean>()
          .completeOnTimeout(false, TimeUnit.NANOSECONDS.convert(patience), TimeUnit.NANOSECONDS);
    }
    return room.handle(PoolHeadroom::isRelief);
  }

  private static boolean isRelief(@Nullable Grant grant, @Nullable Throwable failure) {
    if (grant != null) {
      grant.close();
      return true;
    }
    if (failure instanceof TimeoutException) {
      return false;
    }
    throw new IllegalStateException("relief cannot be told", failure);
  }
}
