package dev.weir.netty.http;

import dev.weir.netty.flow.Admission;
import dev.weir.netty.flow.Permit;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * Fails the n-th allocation from when it was armed, once, wherever that is. What else may fail for
 * want of room counts with them.
 */
public final class FailingAllocator extends AbstractByteBufAllocator {
  private final ByteBufAllocator allocator;
  private final AtomicInteger untilFailure = new AtomicInteger(Integer.MAX_VALUE);
  private volatile StackTraceElement[] failedAt;

  public FailingAllocator(ByteBufAllocator allocator) {
    super(/* preferDirect= */ true);
    this.allocator = allocator;
  }

  /** The allocator that does not fail. */
  ByteBufAllocator behind() {
    return allocator;
  }

  public void arm(int n) {
    failedAt = null;
    untilFailure.set(n);
  }

  /** Where it has failed, or null if it has not: whoever armed it asked for fewer allocations. */
  public StackTraceElement[] disarm() {
    untilFailure.set(Integer.MAX_VALUE);
    return failedAt;
  }

  /** The same for buffers that come out of permits. */
  Admission failing(Admission admission) {
    return new Admission() {
      @Override
      public CompletionStage<Permit> admit(long bytes, Duration deadline) {
        CompletableFuture<Permit> inner = admission.admit(bytes, deadline).toCompletableFuture();
        CompletableFuture<Permit> outer = new CompletableFuture<>();
        inner.whenComplete((permit, failure) -> {
          if (permit == null) {
            outer.completeExceptionally(failure);
          } else if (!outer.complete(failing(permit))) {
            permit.close();
          }
        });
        outer.whenComplete((permit, failure) -> {
          if (permit == null) {
            inner.complete(null);
          }
        });
        return outer;
      }
    };
  }

  private Permit failing(Permit permit) {
    return new Permit() {
      @Override
      public long unspentBytes() {
        return permit.unspentBytes();
      }

      @Override
      public ByteBuf allocate(int bytes) {
        count();
        return permit.allocate(bytes);
      }

      @Override
      public ByteBuf allocateGrowing(int bytes, int maxCapacity) {
        count();
        return permit.allocateGrowing(bytes, maxCapacity);
      }

      @Override
      public boolean tryGrow(ByteBuf buffer, int newCapacity) {
        count();
        return permit.tryGrow(buffer, newCapacity);
      }

      @Override
      public void close() {
        permit.close();
      }
    };
  }

  @Override
  protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
    count();
    return allocator.heapBuffer(initialCapacity, maxCapacity);
  }

  @Override
  protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
    count();
    return allocator.directBuffer(initialCapacity, maxCapacity);
  }

  @Override
  public boolean isDirectBufferPooled() {
    return true;
  }

  private void count() {
    count(message ->
        new OutOfMemoryError("Cannot reserve 1 bytes of direct buffer memory: " + message));
  }

  /** Called before something is done that may fail so. */
  <T extends Throwable> void count(Function<String, T> failure) throws T {
    if (untilFailure.decrementAndGet() == 0) {
      T injected = failure.apply("injected");
      failedAt = injected.getStackTrace();
      throw injected;
    }
  }
}
