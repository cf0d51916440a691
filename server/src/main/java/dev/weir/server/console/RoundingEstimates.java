package dev.weir.server.console;

import dev.weir.memory.profile.LiveBlocks;
import dev.weir.memory.profile.LiveProfile;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How much of what blocks take was asked for, and how much came with sizes of slots and pages: by
 * budget and by size of block. Sizes asked for are kept of samples only, so the part of the sampled
 * blocks is taken for the part of all. Immutable.
 */
final class RoundingEstimates {
  /** Of a pool that takes no samples. */
  static final RoundingEstimates NONE = new RoundingEstimates();

  private final Map<String, Part> byBudget = new HashMap<>();
  private final Map<Long, Part> bySize = new HashMap<>();

  private RoundingEstimates() {}

  /**
   * An estimate.
   *
   * @param requestedBytes what was asked for
   * @param roundingBytes the rest of what the blocks take
   * @param samples how many samples stand behind it: ten are good for a third
   */
  record Estimate(long requestedBytes, long roundingBytes, int samples) {}

  private static final class Part {
    private long bytes;
    private long roundingBytes;
    private int samples;

    void add(LiveBlocks blocks) {
      bytes += blocks.bytes();
      roundingBytes += blocks.roundingBytes();
      samples++;
    }
  }

  static RoundingEstimates of(LiveProfile profile) {
    RoundingEstimates estimates = new RoundingEstimates();
    profile.samples().forEach(estimates::add);
    return estimates;
  }

  /** A sample counts for its budget and for all above it, as charges do. */
  private void add(LiveBlocks blocks) {
    bySize.computeIfAbsent(blocks.blockBytes(), size -> new Part()).add(blocks);
    String path = blocks.budget();
    byBudget.computeIfAbsent(path, any -> new Part()).add(blocks);
    for (int end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      byBudget.computeIfAbsent(path.substring(0, end), any -> new Part()).add(blocks);
    }
  }

  /**
   * Of a budget and those below it.
   *
   * @param path the budget's, from the root on
   * @param chargedBytes what its blocks take
   * @return null if none of them was sampled
   */
  @Nullable Estimate ofBudget(String path, long chargedBytes) {
    return estimate(byBudget.get(path), chargedBytes);
  }

  /**
   * Of all blocks of one size.
   *
   * @param allBytes what they take
   * @return null if none of them was sampled
   */
  @Nullable Estimate ofSize(long blockBytes, long allBytes) {
    return estimate(bySize.get(blockBytes), allBytes);
  }

  private static @Nullable Estimate estimate(@Nullable Part part, long bytes) {
    if (part == null || part.bytes <= 0) {
      return null;
    }
    long rounding = Math.min(bytes, Math.round((double) bytes * part.roundingBytes / part.bytes));
    return new Estimate(bytes - rounding, rounding, part.samples);
  }
}
