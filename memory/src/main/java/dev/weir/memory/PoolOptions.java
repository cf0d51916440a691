package dev.weir.memory;

import dev.weir.memory.hardening.Hardening;
import dev.weir.memory.os.NativeMemory;
import dev.weir.memory.purge.PurgePolicy;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

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

  /** The property that gives a profile to every pool whose options say nothing of it. */
  public static final String PROFILE_PROPERTY = "weir.profile";

  /** One sample of the live profile in so many allocated bytes, unless told otherwise: 512 KiB. */
  public static final long DEFAULT_BYTES_PER_SAMPLE = 512L << 10;

  private static final long MIN_BYTES_PER_SAMPLE = 4L << 10;
  private static final long MAX_BYTES_PER_SAMPLE = 1L << 30;

  private static final AtomicInteger POOLS = new AtomicInteger();
  private static final Duration DEFAULT_DECAY = Duration.ofSeconds(1);
  private static final Duration MIN_DECAY = Duration.ofMillis(10);
  private static final Duration MAX_DECAY = Duration.ofDays(1);

  private final String name;
  private final long limitBytes;
  private final long heapLimitBytes;
  private final Duration decay;
  private final PurgePolicy purgePolicy;
  private final long bytesPerSample;
  private final @Nullable Hardening hardening;
  private final NativeMemory os;

  private PoolOptions(
      String name,
      long limitBytes,
      long heapLimitBytes,
      Duration decay,
      PurgePolicy purgePolicy,
      long bytesPerSample,
      @Nullable Hardening hardening,
      NativeMemory os) {
    this.name = name;
    this.limitBytes = limitBytes;
    this.heapLimitBytes = heapLimitBytes;
    this.decay = decay;
    this.purgePolicy = purgePolicy;
    this.bytesPerSample = bytesPerSample;
    this.hardening = hardening;
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
        PurgePolicy.balanced(),
        profileOfProcess(),
        Hardening.ofProcess(),
        NativeMemory.system());
  }

  /** A copy with another name: that of the root budget. */
  public PoolOptions withName(String newName) {
    return new PoolOptions(
        newName, limitBytes, heapLimitBytes, decay, purgePolicy, bytesPerSample, hardening, os);
  }

  /**
   * A copy with another limit of the byte arrays behind Java heap buffers, with what is free in
   * them; the default is the JVM's own.
   */
  public PoolOptions withHeapLimit(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("heap limit is negative: " + bytes);
    }
    return new PoolOptions(
        name, limitBytes, bytes, decay, purgePolicy, bytesPerSample, hardening, os);
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
    return new PoolOptions(
        name, limitBytes, heapLimitBytes, newDecay, purgePolicy, bytesPerSample, hardening, os);
  }

  /**
   * A copy with another rule of how much free memory stays resident; the default is {@link
   * PurgePolicy#balanced()}.
   */
  public PoolOptions withPurgePolicy(PurgePolicy newPolicy) {
    return new PoolOptions(
        name, limitBytes, heapLimitBytes, decay, newPolicy, bytesPerSample, hardening, os);
  }

  /** What the property {@value #PROFILE_PROPERTY} of the process asks for; 0 if it is not set. */
  private static long profileOfProcess() {
    String text = System.getProperty(PROFILE_PROPERTY, "off").strip().toLowerCase(Locale.ROOT);
    return switch (text) {
      case "off" -> 0;
      case "on" -> DEFAULT_BYTES_PER_SAMPLE;
      default -> {
        try {
          yield checkedBytesPerSample(Long.parseLong(text));
        } catch (NumberFormatException e) {
          throw new IllegalArgumentException(
              "-D%s=%s is not 'on', 'off' or a number of bytes".formatted(PROFILE_PROPERTY, text),
              e);
        }
      }
    };
  }

  private static long checkedBytesPerSample(long bytes) {
    if (bytes < MIN_BYTES_PER_SAMPLE || bytes > MAX_BYTES_PER_SAMPLE) {
      throw new IllegalArgumentException(
          "one sample in %,d bytes is not between %,d and %,d"
              .formatted(bytes, MIN_BYTES_PER_SAMPLE, MAX_BYTES_PER_SAMPLE));
    }
    return bytes;
  }

  /**
   * A copy whose pool keeps a {@linkplain Pool#profile() profile} of live memory, or a denser or
   * thinner one. Without this, one is kept if the property {@value #PROFILE_PROPERTY} of the
   * process says so: {@code on}, or a number of bytes.
   *
   * @param newBytesPerSample one sample in so many allocated bytes, on average: from 4 KiB to 1
   *     GiB; {@link #DEFAULT_BYTES_PER_SAMPLE} suits services
   */
  public PoolOptions withProfile(long newBytesPerSample) {
    return new PoolOptions(
        name,
        limitBytes,
        heapLimitBytes,
        decay,
        purgePolicy,
        checkedBytesPerSample(newBytesPerSample),
        hardening,
        os);
  }

  /** A copy whose pool keeps no profile, whatever the process is told. */
  public PoolOptions withoutProfile() {
    return new PoolOptions(name, limitBytes, heapLimitBytes, decay, purgePolicy, 0, hardening, os);
  }

  /**
   * A copy whose pool hardens blocks: finds access after release, second releases, and writes
   * beyond the end. Without this, it does so if the property {@value Hardening#PROPERTY} of the
   * process says so.
   */
  public PoolOptions withHardening(Hardening newHardening) {
    return new PoolOptions(
        name, limitBytes, heapLimitBytes, decay, purgePolicy, bytesPerSample, newHardening, os);
  }

  /** A copy whose pool hardens nothing, whatever the process is told. */
  public PoolOptions withoutHardening() {
    return new PoolOptions(
        name, limitBytes, heapLimitBytes, decay, purgePolicy, bytesPerSample, null, os);
  }

  PoolOptions withNativeMemory(NativeMemory newOs) {
    return new PoolOptions(
        name, limitBytes, heapLimitBytes, decay, purgePolicy, bytesPerSample, hardening, newOs);
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

  /** How much of what is live may stay dirty beside it. */
  public PurgePolicy purgePolicy() {
    return purgePolicy;
  }

  /** How many allocated bytes there are to a sample of the profile; 0 if there is none. */
  public long bytesPerSample() {
    return bytesPerSample;
  }

  /** Which blocks are hardened, and how; null if none are. */
  public @Nullable Hardening hardening() {
    return hardening;
  }

  NativeMemory nativeMemory() {
    return os;
  }
}
