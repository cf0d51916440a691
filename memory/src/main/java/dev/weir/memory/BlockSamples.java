package dev.weir.memory;

import dev.weir.memory.heap.Block;
import dev.weir.memory.heap.OwnedHeap;
import dev.weir.memory.profile.ByteCountdown;
import dev.weir.memory.profile.LiveSample;
import dev.weir.memory.profile.Sampler;
import org.jspecify.annotations.Nullable;

/** Samples of {@link Block}s for the live profile. */
final class BlockSamples {
  private BlockSamples() {}

  /**
   * Counts a block that has just been allocated, and samples it if that is due.
   *
   * @param heap the calling thread's own, or null
   * @param bytes what was asked for
   * @return the block
   */
  static Block counted(
      @Nullable Sampler sampler, @Nullable OwnedHeap heap, long bytes, Block block) {
    if (sampler == null) {
      return block;
    }
    ByteCountdown own = heap == null ? null : heap.countdown();
    ByteCountdown countdown = own == null ? sampler.ofThread() : own;
    if (countdown.reach(block.size())) {
      sample(sampler, countdown, bytes, block);
    }
    return block;
  }

  private static void sample(Sampler sampler, ByteCountdown countdown, long bytes, Block block) {
    LiveSample sample = sampler.take(countdown, block.size(), block.budget());
    if (sample != null) {
      sample.request(bytes);
      block.watchedBy(sample);
    }
  }
}
