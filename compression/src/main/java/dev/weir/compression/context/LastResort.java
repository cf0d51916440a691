package dev.weir.compression.context;

import java.lang.ref.Cleaner;

/**
 * Gives back what a context holds when nothing refers to the context any more: for those that are
 * lost, since all others are destroyed by whoever has them.
 */
public final class LastResort {
  private static final Cleaner CLEANER =
      Cleaner.create(Thread.ofPlatform().daemon().name("weir-compression-cleaner").factory());

  private LastResort() {}

  /**
   * Has an action run when nothing refers to an object any more, or earlier by {@link
   * Cleaner.Cleanable#clean()}: once in all.
   *
   * @param action refers to memory and its charge alone: never, however indirectly, to the owner,
   *     nor to buffers, channels or anything else of the application
   */
  public static Cleaner.Cleanable register(Object owner, Runnable action) {
    return CLEANER.register(owner, action);
  }
}
