package dev.weir.memory.heap;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.hardening.BlockHistory;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Where blocks lie: a slab, which has many of one size, known by their numbers, or a run, which is
 * one, number 0, and can grow, or is hardened, or neither.
 *
 * <p>For those who keep an object of their own for each block ({@link BlockFactory}). Everybody
 * else uses {@code Block}, which refuses what is wrong; here nothing is checked: a number is used
 * by whoever was given it, until {@link #free}.
 */
@SuppressWarnings("exports") // Slab and Run stay inside
public sealed interface BlockContainer permits GrowingRun, HardenedRun, Run, Slab {
  /** The first byte of a block; a multiple of 16, above 64 KiB of a page. */
  long blockAddress(int number);

  /** The usable bytes of each block. */
  long blockBytes();

  /** The memory of a block as a segment, which keeps the pool's addresses. */
  MemorySegment segment(int number);

  /**
   * Grows a block without copying it where the system can move pages, and charges the difference;
   * at the limit as an allocation does, by asking others for room. {@link #blockAddress} may be
   * another then.
   *
   * @return whether {@link #blockBytes} is at least {@code minBytes} now; if not, nothing has
   *     changed
   */
  boolean tryGrow(long minBytes, Budget budget);

  /** As {@link #tryGrow}, with what is free now, or dirty: nobody is asked for room. */
  default boolean tryGrowAtOnce(long minBytes, Budget budget) {
    return tryGrow(minBytes, budget);
  }

  /**
   * How many bytes must be free for a block to come to so many: all of them, unless it can grow
   * where it lies, since it is copied.
   */
  default long neededToGrow(long minBytes) {
    return minBytes;
  }

  /**
   * Gives a block back; takes no charge back. Any thread, once: from this call on, the block may be
   * somebody else's.
   */
  void free(int number);

  /** Gives a block and its charge back. Any thread, once, as {@link #free}. */
  default void release(int number, Budget payer) {
    payer.uncharge(blockBytes());
    free(number);
  }

  /** Who allocated the block and who released it, if the block is hardened; null for all others. */
  default @Nullable BlockHistory history() {
    return null;
  }

  /**
   * Leaves an object at a slot or run for its next user to find. A slot forgets it when its page is
   * purged; a run that keeps it has another address at its next use; one that can grow keeps
   * nothing. Only from {@link BlockFactory#create}, and there only in an allocation.
   */
  void leave(int number, Object object);
}
