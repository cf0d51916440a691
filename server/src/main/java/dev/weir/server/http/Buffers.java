package dev.weir.server.http;

import dev.weir.netty.WeirAllocator;
import dev.weir.netty.flow.Admission;
import dev.weir.netty.flow.WeirAdmission;
import io.netty.buffer.ByteBufAllocator;

/**
 * Where connections get their memory.
 *
 * @param allocator refuses with an {@link OutOfMemoryError} when there is no room now
 * @param admission waits for room in the same memory
 */
public record Buffers(ByteBufAllocator allocator, Admission admission) {
  /** Both from one pool. */
  public static Buffers of(WeirAllocator allocator) {
    return new Buffers(allocator, new WeirAdmission(allocator));
  }
}
