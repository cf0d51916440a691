package dev.weir.lab.replay;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What came of the rounds of a replay. Memory, refusals and faults are of all of them, as a service
 * that goes on would have them; time is that of the quickest. Not thread-safe.
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
    Figures total = last().phases().newFigures();
    @Nullable Figures quickest = null;
    for (ReplayResult result : results) {
      Figures figures = result.phases().total();
      total.add(figures);
      if (quickest == null || figures.nanos() < quickest.nanos()) {
        quickest = figures;
      }
    }
    total.timedAs(Objects.requireNonNull(quickest));
    return total;
  }

  /** The most by which the kernel's figure exceeded the allocator's; null if it was not asked. */
  @Nullable Long peakExcessBytes() {
    long most = results.stream().mapToLong(ReplayResult::peakExcessBytes).max().orElseThrow();
    return most == Sample.UNKNOWN ? null : most;
  }
}
