package dev.weir.netty.http;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.netty.WeirAllocator;
import dev.weir.netty.flow.Admission;
import dev.weir.netty.flow.ByteCountAdmission;
import dev.weir.netty.flow.Permit;
import dev.weir.netty.flow.WeirAdmission;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/** An allocator with admission of a few MiB, and how many bytes are not back. */
record MemoryUnderTest(ByteBufAllocator allocator, Admission admission, LongSupplier held) {
  static final int BODY_BYTES = 1 << 20;
  private static final Duration LONG = Duration.ofMinutes(10);

  enum Kind {
    WEIR,
    NETTY_BEHIND_A_COUNT
  }

  static MemoryUnderTest of(Kind kind) {
    return switch (kind) {
      case WEIR -> {
        Pool pool = Pool.create(PoolOptions.withLimit(8L << 20));
        WeirAllocator allocator = new WeirAllocator(pool);
        yield new MemoryUnderTest(allocator, new WeirAdmission(allocator), pool::liveBlockBytes);
      }
      case NETTY_BEHIND_A_COUNT -> {
        PooledByteBufAllocator allocator = new PooledByteBufAllocator(true);
        long limitBytes = 3L << 20;
        ByteCountAdmission admission = new ByteCountAdmission(limitBytes, allocator);
        yield new MemoryUnderTest(
            allocator,
            admission,
            () -> allocator.pinnedDirectMemory() + limitBytes - admission.availableBytes());
      }
    };
  }

  /** Takes so much that no body finds room until the permits are closed. */
  List<Permit> fill() {
    return fill(BODY_BYTES);
  }

  /** Takes so much that there is no room for {@code bytes} until the permits are closed. */
  List<Permit> fill(int bytes) {
    List<Permit> permits = new ArrayList<>();
    while (true) {
      CompletableFuture<Permit> permit = admission.admit(bytes, LONG).toCompletableFuture();
      if (permit.cancel(/* mayInterruptIfRunning= */ false)) {
        return permits; // It was not granted, not even meanwhile.
      }
      permits.add(permit.join());
    }
  }
}
