package dev.weir.server;

import dev.weir.memory.Pool;
import dev.weir.netty.WeirAllocator;
import dev.weir.server.http.HttpLimits;
import dev.weir.server.http.Transport;
import dev.weir.streams.Disk;
import dev.weir.streams.LocalDisk;

/** A node's memory as it is, for a test to look into and to use up. */
final class KnownBuffers {
  private WeirAllocator allocator;

  /** What a node stands on whose memory this will know. */
  NodeParts parts(HttpLimits limits) {
    return parts(new LocalDisk(), limits);
  }

  NodeParts parts(Disk disk, HttpLimits limits) {
    return new NodeParts(
        disk,
        Transport.best(),
        limits,
        real -> {
          allocator = (WeirAllocator) real.allocator();
          return real;
        });
  }

  WeirAllocator allocator() {
    return allocator;
  }

  Pool pool() {
    return allocator.pool();
  }
}
