package dev.weir.lab.grpc;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.netty.WeirAllocator;
import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/** The allocator of one side, and the most that it ever held. */
public final class GrpcMemory {
  private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final ByteBufAllocator allocator;
  private final LongSupplier peakBytes;

  private GrpcMemory(ByteBufAllocator allocator, LongSupplier peakBytes) {
    this.allocator = allocator;
    this.peakBytes = peakBytes;
  }

  /** Netty's arenas. */
  public static GrpcMemory pooled() {
    PooledByteBufAllocator pooled = new PooledByteBufAllocator(/* preferDirect= */ true);
    return new GrpcMemory(pooled, sampled(() -> pooled.metric().usedDirectMemory()));
  }

  /** The default of Netty 4.2. */
  public static GrpcMemory adaptive() {
    AdaptiveByteBufAllocator adaptive = new AdaptiveByteBufAllocator(/* preferDirect= */ true);
    return new GrpcMemory(adaptive, sampled(() -> adaptive.metric().usedDirectMemory()));
  }

  /** Weir's, of a pool with this limit. */
  public static GrpcMemory weir(long limitBytes) {
    Pool pool = Pool.create(PoolOptions.withLimit(limitBytes).withName("grpc"));
    return new GrpcMemory(new WeirAllocator(pool), pool::peakResidentBytes);
  }

  private static LongSupplier sampled(LongSupplier heldBytes) {
    AtomicLong peak = new AtomicLong();
    Thread.ofPlatform()
        .daemon()
        .name("memory-peak")
        .start(() -> {
          while (true) {
            peak.accumulateAndGet(heldBytes.getAsLong(), Math::max);
            LockSupport.parkNanos(PERIOD_NANOS);
          }
        });
    return peak::get;
  }

  ByteBufAllocator allocator() {
    return allocator;
  }

  /** By its own count; Netty's is looked at every 10 ms. */
  public long peakBytes() {
    return peakBytes.getAsLong();
  }
}
