package dev.weir.server.http;

import dev.weir.netty.WeirAllocator;
import dev.weir.netty.flow.Admission;
import dev.weir.netty.flow.WeirAdmission;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import java.util.function.Consumer;

/**
 * Where connections get their memory.
 *
 * @param allocator refuses with an {@link OutOfMemoryError} when there is no room now
 * @param admission waits for room in the same memory
 * @param connections gives a new connection an allocator of its own, if it is to have one
 */
public record Buffers(
    ByteBufAllocator allocator, Admission admission, Consumer<Channel> connections) {
  /** The same allocator for all connections. */
  public Buffers(ByteBufAllocator allocator, Admission admission) {
    this(allocator, admission, connection -> {});
  }

  /** All from one pool, with a budget for each connection. */
  public static Buffers of(WeirAllocator allocator) {
    return new Buffers(allocator, new WeirAdmission(allocator), new ConnectionBudgets(allocator));
  }
}
