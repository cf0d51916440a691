package dev.weir.server;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.budget.BudgetExceededError;
import dev.weir.netty.flow.AdmissionRefusedException;
import dev.weir.netty.flow.AdmissionRefusedException.Reason;
import dev.weir.server.http.Buffers;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.concurrent.CompletableFuture;

/** A node's memory that refuses on request; what it gives comes from the node's pool. */
final class RefusingBuffers {
  /** Its budget is that of refusals. */
  private static final Pool NO_ROOM = Pool.create(PoolOptions.withLimit(1 << 20));

  private long requests;
  private long firstRefused = Long.MAX_VALUE;
  private long lastRefused = Long.MAX_VALUE;
  private long refused;

  /** Refuses the {@code n}-th request from now on, from 1. */
  synchronized void refuse(int n) {
    refuseFrom(n);
    lastRefused = n;
  }

  /** Refuses the {@code n}-th request from now on, from 1, and all that follow. */
  synchronized void refuseFrom(int n) {
    requests = 0;
    refused = 0;
    firstRefused = n;
    lastRefused = Long.MAX_VALUE;
  }

  /**
   * Refuses no longer.
   *
   * @return how many requests were refused
   */
  synchronized long allow() {
    firstRefused = Long.MAX_VALUE;
    return refused;
  }

  private synchronized boolean isRefused() {
    requests++;
    boolean refuses = requests >= firstRefused && requests <= lastRefused;
    refused += refuses ? 1 : 0;
    return refuses;
  }

  /** To be put between a node and its memory. */
  Buffers over(Buffers real) {
    return new Buffers(
        new Allocator(real.allocator()),
        (bytes, deadline) ->
            isRefused()
                ? CompletableFuture.failedFuture(
                    new AdmissionRefusedException(Reason.DEADLINE, "refused by the test"))
                : real.admission().admit(bytes, deadline));
  }

  private final class Allocator extends AbstractByteBufAllocator {
    private final ByteBufAllocator real;

    private static BudgetExceededError refusal(int bytes) {
      return new BudgetExceededError(NO_ROOM.rootBudget(), bytes, "refused by the test");
    }

    Allocator(ByteBufAllocator real) {
      super(/* preferDirect= */ true);
      this.real = real;
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
      if (isRefused()) {
        throw refusal(initialCapacity);
      }
      return real.directBuffer(initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
      if (isRefused()) {
        throw refusal(initialCapacity);
      }
      return real.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    public boolean isDirectBufferPooled() {
      return true;
    }
  }
}
