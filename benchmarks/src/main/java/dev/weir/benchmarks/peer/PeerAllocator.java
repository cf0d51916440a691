package dev.weir.benchmarks.peer;

import dev.weir.memory.Pool;
import io.netty.buffer.ByteBufAllocator;
import java.util.Optional;

/**
 * A peer's allocator. What it charges shows in its class and not whether it is Weir's: that a pool
 * is behind it does.
 *
 * @param allocator as pipelines use it
 * @param pool Weir's pool behind it; empty for all others
 */
public record PeerAllocator(ByteBufAllocator allocator, Optional<Pool> pool) {}
