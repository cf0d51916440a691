package dev.weir.benchmarks.peer;

import dev.weir.lab.contender.ContenderMissingException;
import dev.weir.lab.contender.MallocLibrary;
import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.hardening.Hardening;
import dev.weir.memory.purge.PurgePolicy;
import dev.weir.netty.WeirAllocator;
import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** An allocator under measurement. Each is measured in a JVM that has loaded no other. */
public enum Peer {
  /** Weir over a pool of 8 GiB. */
  WEIR("weir", Family.WEIR),
  /** The same, charging a budget of its own with a limit. */
  WEIR_CHARGED("weir+charged", Family.WEIR),
  /** The same, charging a budget of its own with a limit, profiled, and its meters read. */
  WEIR_BUDGET("weir+budget", Family.WEIR),
  /** Weir that hardens a sample of the buffers, at its default interval. */
  WEIR_HARDENING("weir+hardening", Family.WEIR),
  /** Weir with the preset that keeps less free memory resident. */
  WEIR_DENSE("weir+dense", Family.WEIR),
  /** Weir that may keep half as much free memory resident as is live. */
  WEIR_SHARE_HALF("weir+share-0.5", Family.WEIR),
  /** Weir that may keep as much free memory resident as is live. */
  WEIR_SHARE_ALL("weir+share-1", Family.WEIR),
  /** Netty's pooled allocator with its defaults. */
  NETTY_POOLED("netty-pooled", Family.NETTY),
  /** Netty's adaptive allocator with its defaults. */
  NETTY_ADAPTIVE("netty-adaptive", Family.NETTY),
  /** The pooled one with caches for every thread, not only for event loops. */
  NETTY_POOLED_CACHES("netty-pooled+caches", Family.NETTY),
  /** The adaptive one with caches for every thread, not only for event loops. */
  NETTY_ADAPTIVE_CACHES("netty-adaptive+caches", Family.NETTY),
  /** {@code malloc} and {@code free} of the C library. */
  GLIBC("glibc", Family.MALLOC),
  /** {@code malloc} and {@code free} of mimalloc. */
  MIMALLOC("mimalloc", Family.MALLOC),
  /** {@code malloc} and {@code free} of jemalloc. */
  JEMALLOC("jemalloc", Family.MALLOC),
  /** Nothing: what the harness itself costs. */
  HARNESS("harness", Family.HARNESS);

  /** What kind of peer it is. */
  public enum Family {
    /** Ours. */
    WEIR,
    /** Buffers of the same contract as ours. */
    NETTY,
    /** Bare memory. */
    MALLOC,
    /** No memory. */
    HARNESS
  }

  /** More than any benchmark holds live, so that no limit is met. */
  private static final long POOL_BYTES = 8L << 30;

  private final String label;
  private final Family family;

  Peer(String label, Family family) {
    this.label = label;
    this.family = family;
  }

  /** The name in reports and in JMH parameters. */
  public String label() {
    return label;
  }

  /** What kind of peer it is. */
  public Family family() {
    return family;
  }

  /** Whether its buffers are Netty's {@code ByteBuf}s, which the leak detector tracks. */
  public boolean isTracked() {
    return family == Family.WEIR || family == Family.NETTY;
  }

  /** Those that a suite compares unless it says whom: all but what differs by its share alone. */
  public static List<Peer> usual() {
    return Arrays.stream(values())
        .filter(peer -> peer != WEIR_SHARE_HALF && peer != WEIR_SHARE_ALL)
        .toList();
  }

  /** Whether on event loops it is the same as its namesake. */
  public boolean isForOtherThreads() {
    return this == NETTY_POOLED_CACHES || this == NETTY_ADAPTIVE_CACHES;
  }

  /** Why this machine cannot measure it; empty if it can. */
  public Optional<String> missing() {
    try {
      switch (this) {
        case MIMALLOC -> MallocLibrary.MIMALLOC.load();
        case JEMALLOC -> MallocLibrary.JEMALLOC.load();
        default -> {}
      }
      return Optional.empty();
    } catch (ContenderMissingException missing) {
      return Optional.of(String.valueOf(missing.getMessage()));
    }
  }

  /** Makes the allocator of a JVM that measures, over a pool of 8 GiB where it is Weir. */
  public Buffers<?> buffers() {
    return buffers(POOL_BYTES);
  }

  /** The same; where it is Weir, over a pool of {@code poolBytes}. */
  public Buffers<?> buffers(long poolBytes) {
    return switch (this) {
      case GLIBC -> MallocBuffers.of(MallocLibrary.GLIBC);
      case MIMALLOC -> MallocBuffers.of(MallocLibrary.MIMALLOC);
      case JEMALLOC -> MallocBuffers.of(MallocLibrary.JEMALLOC);
      case HARNESS -> NoBuffers.create();
      default -> NettyBuffers.of(open(poolBytes));
    };
  }

  /**
   * Makes the allocator as Netty's pipelines use it.
   *
   * @throws UnsupportedOperationException if it has no {@code ByteBuf}s
   */
  public ByteBufAllocator allocator() {
    return open(POOL_BYTES).allocator();
  }

  /**
   * Makes the allocator as Netty's pipelines use it, and says which pool is behind it.
   *
   * @throws UnsupportedOperationException if it has no {@code ByteBuf}s
   */
  public PeerAllocator open() {
    return open(POOL_BYTES);
  }

  private PeerAllocator open(long poolBytes) {
    PoolOptions options = PoolOptions.withLimit(poolBytes).withName("bench");
    return switch (this) {
      case WEIR -> over(options);
      case WEIR_CHARGED -> charging(Pool.create(options));
      case WEIR_BUDGET -> charging(watchedPool(options));
      case WEIR_HARDENING -> over(options.withHardening(Hardening.sampled()));
      case WEIR_DENSE -> over(options.withPurgePolicy(PurgePolicy.dense()));
      case WEIR_SHARE_HALF -> over(options.withPurgePolicy(share(0.5)));
      case WEIR_SHARE_ALL -> over(options.withPurgePolicy(share(1)));
      case NETTY_POOLED -> netty(PooledByteBufAllocator.DEFAULT);
      case NETTY_ADAPTIVE -> netty(new AdaptiveByteBufAllocator());
      case NETTY_POOLED_CACHES -> netty(pooledWithCaches());
      case NETTY_ADAPTIVE_CACHES ->
          netty(
              new AdaptiveByteBufAllocator(
                  /* preferDirect= */ true, /* useCacheForNonEventLoopThreads= */ true));
      default -> throw new UnsupportedOperationException(label + " has no ByteBufs");
    };
  }

  private static Pool watchedPool(PoolOptions options) {
    Pool pool = Pool.create(options.withProfile(PoolOptions.DEFAULT_BYTES_PER_SAMPLE));
    Scraper.start(pool);
    return pool;
  }

  private static PeerAllocator over(PoolOptions options) {
    Pool pool = Pool.create(options);
    return new PeerAllocator(new WeirAllocator(pool), Optional.of(pool));
  }

  private static PurgePolicy share(double share) {
    return PurgePolicy.balanced().withShare(share);
  }

  private static PeerAllocator charging(Pool pool) {
    Budget budget = pool.rootBudget().child("feature", pool.limitBytes() / 2);
    return new PeerAllocator(new WeirAllocator(pool).charging(budget), Optional.of(pool));
  }

  private static PeerAllocator netty(ByteBufAllocator allocator) {
    return new PeerAllocator(allocator, Optional.empty());
  }

  private static ByteBufAllocator pooledWithCaches() {
    return new PooledByteBufAllocator(
        /* preferDirect= */ true,
        PooledByteBufAllocator.defaultNumHeapArena(),
        PooledByteBufAllocator.defaultNumDirectArena(),
        PooledByteBufAllocator.defaultPageSize(),
        PooledByteBufAllocator.defaultMaxOrder(),
        PooledByteBufAllocator.defaultSmallCacheSize(),
        PooledByteBufAllocator.defaultNormalCacheSize(),
        /* useCacheForAllThreads= */ true);
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
