package dev.weir.netty.flow;

import dev.weir.memory.Block;
import dev.weir.memory.Grant;
import dev.weir.memory.Pool;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.budget.BudgetExceededError;
import dev.weir.netty.WeirAllocator;
import dev.weir.netty.flow.AdmissionRefusedException.Reason;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Admits by grants of a Weir pool. A permit's buffers lie in the pages that were promised, so what
 * was admitted can be allocated, however fragmented the pool is. Permits and buffers are rounded up
 * to whole pages.
 */
public final class WeirAdmission implements Admission {
  private final WeirAllocator allocator;
  private final Pool pool;
  private final Budget budget;

  /** Admits as far as the pool of {@code allocator} has room. */
  public WeirAdmission(WeirAllocator allocator) {
    this(allocator, allocator.pool().rootBudget());
  }

  /**
   * Admits as far as a budget of that pool has room too: permits are charged to it, and so are the
   * buffers that are allocated out of them, until they are released.
   *
   * @throws IllegalArgumentException if the budget is of another pool
   */
  public WeirAdmission(WeirAllocator allocator, Budget budget) {
    this.allocator = allocator;
    this.pool = allocator.pool();
    this.budget = budget;
    if (!budget.isOfSameTree(pool.rootBudget())) {
      throw new IllegalArgumentException(
          "budget '%s' is not of pool '%s'".formatted(budget.path(), pool.options().name()));
    }
  }

  @Override
  public CompletionStage<Permit> admit(long bytes, Duration deadline) {
    CompletableFuture<Grant> grant;
    try {
      grant = pool.grant(bytes, deadline, budget);
    } catch (IllegalStateException | Error poolClosedOrFailed) {
      return CompletableFuture.failedFuture(refusal(bytes, poolClosedOrFailed));
    }
    CompletableFuture<Permit> permit = new CompletableFuture<>();
    grant.whenComplete((granted, failure) -> answer(permit, bytes, granted, failure));
    permit.whenComplete((done, failure) -> {
      if (done == null) {
        grant.complete(null); // Given up, if it was not refused.
      }
    });
    return permit;
  }

  /**
   * The largest grant that the pool's limit and those of the budget and all above it allow, as they
   * are now.
   */
  @Override
  public long limitBytes() {
    return pool.largestGrantBytes(budget);
  }

  private void answer(
      CompletableFuture<Permit> permit,
      long bytes,
      @Nullable Grant granted,
      @Nullable Throwable failure) {
    if (granted == null) {
      if (failure != null) {
        permit.completeExceptionally(refusal(bytes, failure));
      }
    } else if (!permit.complete(new GrantPermit(allocator, granted))) {
      granted.close(); // Given up.
    }
  }

  private AdmissionRefusedException refusal(long bytes, Throwable failure) {
    Reason reason =
        switch (failure) {
          case TimeoutException late -> Reason.DEADLINE;
          case BudgetExceededError refused ->
              GrantRefusals.isQueueFull(refused, pool, budget)
                  ? Reason.QUEUE_FULL
                  : Reason.ABOVE_LIMIT;
          default -> Reason.UNAVAILABLE;
        };
    return new AdmissionRefusedException(
        reason, bytes + " bytes were not granted: " + failure.getMessage(), failure);
  }

  private record GrantPermit(WeirAllocator allocator, Grant grant) implements Permit {
    @Override
    public long unspentBytes() {
      return grant.remainingBytes();
    }

    @Override
    public ByteBuf allocate(int bytes) {
      requireUnspent(bytes);
      return wrap(grant.allocate(bytes), bytes, bytes);
    }

    @Override
    public ByteBuf allocateGrowing(int bytes, int maxCapacity) {
      requireUnspent(bytes);
      return wrap(grant.allocateGrowing(bytes), bytes, maxCapacity);
    }

    @Override
    public boolean tryGrow(ByteBuf buffer, int newCapacity) {
      requireUnspent(newCapacity - buffer.capacity());
      return allocator.tryGrow(buffer, newCapacity, grant);
    }

    private ByteBuf wrap(Block block, int bytes, int maxCapacity) {
      try {
        return allocator.wrap(block, bytes, maxCapacity);
      } catch (IllegalArgumentException capacity) {
        block.release();
        throw capacity;
      }
    }

    private void requireUnspent(int bytes) {
      if (bytes <= 0 || bytes > grant.remainingBytes()) {
        throw new IllegalArgumentException(
            "bytes: %d (expected: 1..%d, what the permit has left)"
                .formatted(bytes, grant.remainingBytes()));
      }
    }

    @Override
    public void close() {
      grant.close();
    }
  }
}
