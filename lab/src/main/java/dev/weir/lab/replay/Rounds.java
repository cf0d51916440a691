package dev.weir.lab.replay;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What came of the rounds of a replay. All but the last are to warm up, the allocator too: they
 * make no pauses, and of them only refusals count. Not thread-safe.
 */
final class Rounds {
  private final List<ReplayResult> results = new ArrayList<>();

  void add(ReplayResult result) {
    results.add(result);
  }

  /** How far all of them are, where the one under way is at {@code share}. */
  double share(double share, int rounds) {
    return (results.size() + share) / rounds;
  }

  ReplayResult last() {
    return results.getLast();
  }

  /** Of every phase that is no warm-up. */
  Figures total() {
    Figures total = last().phases().total();
    for (ReplayResult earlier : results.subList(0, results.size() - 1)) {
      total.addRefusals(earlier.phases().total());
    }
    return total;
  }

  /** The most by which the kernel's figure exceeded the allocator's; null if it was not asked. */
  @Nullable Long peakExcessBytes() {
    long most = results.stream().mapToLong(ReplayResult::peakExcessBytes).max().orElseThrow();
    return most == Sample.UNKNOWN ? null : most;
  }
}
