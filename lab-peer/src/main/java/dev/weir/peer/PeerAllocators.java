package dev.weir.peer;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.buffer.PooledByteBufAllocator;
import java.lang.reflect.InvocationTargetException;

/** The allocators that a class path may have, by name. */
final class PeerAllocators {
  private PeerAllocators() {}

  /**
   * Makes one: {@code pooled}, {@code adaptive}, {@code weir} or {@code weir+dense}.
   *
   * @param limitBytes of Weir's pool; Netty's allocators have the JVM's
   * @throws IllegalArgumentException if the class path has none of that name
   */
  static ByteBufAllocator create(String name, long limitBytes) {
    try {
      switch (name) {
        case "pooled":
          return PooledByteBufAllocator.DEFAULT;
        case "adaptive":
          return (ByteBufAllocator)
              Class.forName("io.netty.buffer.AdaptiveByteBufAllocator")
                  .getConstructor()
                  .newInstance();
        case "weir":
          return weir("balanced", limitBytes);
        case "weir+dense":
          return weir("dense", limitBytes);
        default:
          throw new IllegalArgumentException("no allocator '" + name + "'");
      }
    } catch (ReflectiveOperationException absent) {
      Throwable reason = absent instanceof InvocationTargetException ? absent.getCause() : absent;
      throw new IllegalArgumentException(
          "the class path has no allocator '" + name + "': " + reason, absent);
    }
  }

  private static ByteBufAllocator weir(String policy, long limitBytes)
      throws ReflectiveOperationException {
    Class<?> optionsType = Class.forName("dev.weir.memory.PoolOptions");
    Class<?> policyType = Class.forName("dev.weir.memory.purge.PurgePolicy");
    Class<?> poolType = Class.forName("dev.weir.memory.Pool");
    Object options = optionsType.getMethod("withLimit", long.class).invoke(null, limitBytes);
    Object preset = policyType.getMethod(policy).invoke(null);
    options = optionsType.getMethod("withPurgePolicy", policyType).invoke(options, preset);
    Object pool = poolType.getMethod("create", optionsType).invoke(null, options);
    return (ByteBufAllocator)
        Class.forName("dev.weir.netty.WeirAllocator").getConstructor(poolType).newInstance(pool);
  }

  /** What the allocator says that it holds, used or not. */
  static long heldBytes(ByteBufAllocator allocator) {
    return ((ByteBufAllocatorMetricProvider) allocator).metric().usedDirectMemory();
  }
}
