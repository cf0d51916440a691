package dev.weir.server.http;

import dev.weir.netty.flow.Admission;
import io.netty.buffer.ByteBufAllocator;

/**
 * Where the buffers of one connection come from, by what they are for. What its sockets are read
 * with and its encoder needs comes from its channel's allocator. For the connection's event loop.
 */
public interface ConnectionMemory {
  /** Bodies that are collected before they are stored. */
  ByteBufAllocator uploads();

  /** What is sent. */
  ByteBufAllocator responses();

  /** Waits for room where {@link #responses} has none. */
  Admission responsesLater();

  /** The same for all connections and purposes. */
  static ConnectionMemory shared(ByteBufAllocator allocator, Admission admission) {
    return new ConnectionMemory() {
      @Override
      public ByteBufAllocator uploads() {
        return allocator;
      }

      @Override
      public ByteBufAllocator responses() {
        return allocator;
      }

      @Override
      public Admission responsesLater() {
        return admission;
      }
    };
  }
}
