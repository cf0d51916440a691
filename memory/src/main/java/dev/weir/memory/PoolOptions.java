package dev.weir.memory;

import dev.weir.memory.os.NativeMemory;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The settings of a pool. Immutable: every {@code with…} method returns a changed copy.
 *
 * <pre>{@code
 * Pool pool = Pool.create(PoolOptions.withLimit(256L << 20).withName("uploads"));
 * }</pre>
 */
public final class PoolOptions {
  /** The smallest limit: 1 MiB. */
  public static final long MIN_LIMIT_BYTES = 1L << 20;

  /** The largest limit, 16 TiB: three regions that hold it once fit into half of 47 bits. */
  public static final long MAX_LIMIT_BYTES = 1L << 44;

  private static final AtomicInteger POOLS = new AtomicInteger();
  private static final Duration DEFAULT_DECAY = Duration.ofSeconds(1);
  private static final Duration MIN_DECAY = Duration.ofMillis(10);
  private static final Duration MAX_DECAY = Duration.ofDays(1);

  private final String name;
  private final long limitBytes;
  private final long heapLimitBytes;
  private final Duration decay;
  private final NativeMemory os;

  private PoolOptions(
      String name, long limitBytes, long heapLimitBytes, Duration decay, NativeMemory os) {
    this.name = name;
    this.limitBytes = limitBytes;
    this.heapLimitBytes = heapLimitBytes;
    this.decay = decay;
    this.os = os;
  }

  /**
   * Settings with a limit and defaults for the rest.
   *
   * @param residentLimitBytes the most memory that the pool may keep resident, from {@link
   *     #MIN_LIMIT_BYTES} to {@link #MAX_LIMIT_BYTES}
   */
  public static PoolOptions withLimit(long residentLimitBytes) {
    if (residentLimitBytes < MIN_LIMIT_BYTES) {
      throw new IllegalArgumentException(
          "limit of %,d bytes is below the smallest, %,d"
              .formatted(residentLimitBytes, MIN_LIMIT_BYTES));
    }
    if (residentLimitBytes > MAX_LIMIT_BYTES) {
      throw new IllegalArgumentException(
          "limit of %,d bytes is above the largest, %,d"
              .formatted(residentLimitBytes, MAX_LIMIT_BYTES));
    }
    return new PoolOptions(
        "pool-" + POOLS.incrementAndGet(),
        residentLimitBytes,
        Runtime.getRuntime().maxMemory(),
        DEFAULT_DECAY,
        NativeMemory.system());
  }

  /** A copy with another name: that of the root budget. */
  public PoolOptions withName(String newName) {
    return new PoolOptions(newName, limitBytes, heapLimitBytes, decay, os);
  }

  /**
   * A copy with another limit of Java heap buffers counted against the pool; the default is the
   * JVM's own.
   */
  public PoolOptions withHeapLimit(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("heap limit is negative: " + bytes);
    }
    return new PoolOptions(name, limitBytes, bytes, decay, os);
  }

  /**
   * A copy with another decay: how long free pages may stay resident. From 10 ms to a day; the
   * default is 1 s.
   */
  public PoolOptions withDecay(Duration newDecay) {
    if (newDecay.compareTo(MIN_DECAY) < 0 || newDecay.compareTo(MAX_DECAY) > 0) {
      throw new IllegalArgumentException(
          "decay " + newDecay + " is not between " + MIN_DECAY + " and " + MAX_DECAY);
    }
    return new PoolOptions(name, limitBytes, heapLimitBytes, newDecay, os);
  }

  PoolOptions withNativeMemory(NativeMemory newOs) {
    return new PoolOptions(name, limitBytes, heapLimitBytes, decay, newOs);
  }

  /** The name of the pool and of its root budget. */
  public String name() {
    return name;
  }

  /** The most memory that may be resident, in bytes. */
  public long limitBytes() {
    return limitBytes;
  }

  /** The most Java heap buffers, in bytes. */
  public long heapLimitBytes() {
    return heapLimitBytes;
  }

  /** How long free pages may stay resident. */
  public Duration decay() {
    return decay;
  }

  NativeMemory nativeMemory() {
    return os;
  }
}
