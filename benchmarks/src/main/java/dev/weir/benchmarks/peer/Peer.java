package dev.weir.benchmarks.peer;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.netty.WeirAllocator;
import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.Arrays;
import java.util.stream.Collectors;

/** An allocator under measurement. Each is measured in a JVM that has loaded no other. */
public enum Peer {
  /** Weir over a pool of 1 GiB. */
  WEIR("weir"),
  /** Netty's pooled allocator with its defaults. */
  NETTY_POOLED("netty-pooled"),
  /** Netty's adaptive allocator with its defaults. */
  NETTY_ADAPTIVE("netty-adaptive");

  /** More than any benchmark holds live, so that no limit is met. */
  private static final long POOL_BYTES = 1L << 30;

  private final String label;

  Peer(String label) {
    this.label = label;
  }

  /** The name in reports and in JMH parameters. */
  public String label() {
    return label;
  }

  /** Makes the allocator. */
  public ByteBufAllocator create() {
    return switch (this) {
      case WEIR ->
          new WeirAllocator(Pool.create(PoolOptions.withLimit(POOL_BYTES).withName("bench")));
      case NETTY_POOLED -> PooledByteBufAllocator.DEFAULT;
      case NETTY_ADAPTIVE -> new AdaptiveByteBufAllocator();
    };
  }

  /**
   * Finds a peer by its label.
   *
   * @throws IllegalArgumentException if there is none; the message lists what there is
   */
  public static Peer of(String label) {
    return Arrays.stream(values())
        .filter(peer -> peer.label.equals(label))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "no allocator '%s'; there are %s"
                    .formatted(
                        label,
                        Arrays.stream(values())
                            .map(Peer::label)
                            .collect(Collectors.joining(", ")))));
  }
}
