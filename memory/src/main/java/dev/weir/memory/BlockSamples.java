package dev.weir.memory;

import dev.weir.memory.budget.Budget;
import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.sampling.ByteCountdown;
import dev.weir.memory.sampling.LiveSample;
import dev.weir.memory.sampling.Sampler;
import org.jspecify.annotations.Nullable;

/** Which blocks are sampled for the live profile. */
final class BlockSamples {
  private BlockSamples() {}

  /**
   * Counts a block that has just been allocated, and samples it if that is due.
   *
   * @param heap the calling thread's own, or null
   * @param bytes what was asked for
   */
  static void draw(@Nullable Sampler sampler, @Nullable OwnedHeap heap, long bytes, Block block) {
    LiveSample sample = draw(sampler, heap, block.size(), block.budget());
    if (sample != null) {
      sample.request(bytes);
      block.watchedBy(sample);
    }
  }

  /**
   * Counts so many bytes, and takes a sample if that is due.
   *
   * @param heap the calling thread's own, or null
   */
  static @Nullable LiveSample draw(
      @Nullable Sampler sampler, @Nullable OwnedHeap heap, long bytes, Budget budget) {
    if (sampler == null) {
      return null;
    }
    ByteCountdown own = heap == null ? null : heap.countdown();
    ByteCountdown countdown = own == null ? sampler.ofThread() : own;
    return countdown.reach(bytes) ? sampler.take(countdown, bytes, budget) : null;
  }
}
