package dev.weir.memory.testing;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;

/**
 * What is freed by the program of powers of two that no allocator survives in less than M · log2(n)
 * / 2 addresses (J. M. Robson, "An estimate of the store size necessary for dynamic storage
 * allocation", Journal of the ACM 18, 1971, and "Bounds for some functions concerning dynamic
 * storage allocation", JACM 21, 1974): in phase i it keeps only the blocks that lie on an address f
 * modulo 2^i, for the better of the two f that continue the last one. What it fills up with, blocks
 * of 2^i, is the caller's to allocate.
 *
 * @param <B> a block; addresses and sizes are in whatever unit the caller has
 */
public final class RobsonPhases<B> {
  private final List<B> live;
  private final ToLongFunction<B> address;
  private final ToLongFunction<B> size;
  private final Consumer<B> free;
  private long f;

  /**
   * Before the first phase.
   *
   * @param live the blocks there are, to which the caller adds
   * @param free frees one that has left the list
   */
  public RobsonPhases(
      List<B> live, ToLongFunction<B> address, ToLongFunction<B> size, Consumer<B> free) {
    this.live = live;
    this.address = address;
    this.size = size;
    this.free = free;
  }

  /** Begins the phase of blocks of {@code step}, twice that of the last one. */
  public void begin(long step) {
    long other = f + step / 2;
    f = worth(step, f) >= worth(step, other) ? f : other;
    live.removeIf(block -> {
      boolean frees = !occupies(block, step, f);
      if (frees) {
        free.accept(block);
      }
      return frees;
    });
  }

  private long worth(long step, long at) {
    return live.stream()
        .filter(block -> occupies(block, step, at))
        .mapToLong(block -> step - size.applyAsLong(block))
        .sum();
  }

  private boolean occupies(B block, long step, long at) {
    return Math.floorMod(at - address.applyAsLong(block), step) < size.applyAsLong(block);
  }
}
