package dev.weir.server.http;

import dev.weir.memory.budget.BudgetExceededError;
import dev.weir.netty.flow.Admission;
import dev.weir.netty.flow.Permit;
import io.netty.buffer.ByteBuf;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Gets a response the memory for its next piece: at once where the pool has room, else when it has
 * room again, after those who asked before. One request at a time; for the connection's event loop.
 */
final class ResponseMemory {
  private final Services services;
  private final ConnectionMemory memory;
  private final Exchange exchange;
  private final StallGuard guard;
  private @Nullable CompletableFuture<Permit> asked;
  private boolean closed;

  ResponseMemory(Services services, ConnectionMemory memory, Exchange exchange, StallGuard guard) {
    this.services = services;
    this.memory = memory;
    this.exchange = exchange;
    this.guard = guard;
  }

  /** As {@link Exchange#allocate}. */
  void allocate(int bytes, Consumer<ByteBuf> use) {
    ByteBuf buffer;
    try {
      buffer = memory.responses().directBuffer(bytes, bytes);
    } catch (BudgetExceededError refused) {
      await(bytes, use);
      return;
    }
    use.accept(buffer);
  }

  private void await(int bytes, Consumer<ByteBuf> use) {
    services.metrics().waitedForMemory();
    // The client is not to blame for what follows.
    guard.waiting();
    CompletableFuture<Permit> room =
        memory
            .responsesLater()
            .admit(bytes, services.limits().memoryTimeout())
            .toCompletableFuture();
    asked = room;
    room.whenComplete((permit, refusal) -> {
      if (closed && permit == null) {
        return; // Given up. From elsewhere this may not be seen yet: the loop sees it.
      }
      try {
        exchange.onLoop(() -> answered(permit, refusal, bytes, use));
      } catch (RejectedExecutionException loopHasEnded) {
        if (permit != null) {
          permit.close();
        }
      }
    });
  }

  private void answered(
      @Nullable Permit permit, @Nullable Throwable refusal, int bytes, Consumer<ByteBuf> use) {
    asked = null;
    try (permit) {
      if (closed) {
        return;
      }
      if (permit != null) {
        guard.writing();
        use.accept(permit.allocate(bytes));
      } else {
        exchange.abort(Objects.requireNonNull(refusal));
      }
    }
  }

  /** Waits no longer; what has been granted already goes back. */
  void close() {
    closed = true;
    CompletableFuture<Permit> room = asked;
    if (room != null) {
      Admission.giveUp(room);
    }
  }
}
