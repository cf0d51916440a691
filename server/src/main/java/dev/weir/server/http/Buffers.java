package dev.weir.server.http;

import dev.weir.netty.WeirAllocator;
import dev.weir.netty.flow.Admission;
import dev.weir.netty.flow.WeirAdmission;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import java.util.function.Function;

/**
 * Where connections get their memory.
 *
 * @param allocator refuses with a {@link dev.weir.memory.budget.BudgetExceededError} when there is
 *     no room now
 * @param admission waits for room in the same memory
 * @param connections makes what a new connection has of it
 */
public record Buffers(
    ByteBufAllocator allocator,
    Admission admission,
    Function<Channel, ConnectionMemory> connections) {
  /** The same allocator for all connections. */
  public Buffers(ByteBufAllocator allocator, Admission admission) {
    this(allocator, admission, connection -> ConnectionMemory.shared(allocator, admission));
  }

  /** All from one pool, with budgets for each connection. */
  public static Buffers of(WeirAllocator allocator) {
    return new Buffers(allocator, new WeirAdmission(allocator), new ConnectionBudgets(allocator));
  }
}
