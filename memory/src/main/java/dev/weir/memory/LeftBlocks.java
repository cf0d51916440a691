package dev.weir.memory;

import dev.weir.memory.budget.Budget;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Says what is still in use when a pool is closed: how many blocks, and whose. */
final class LeftBlocks {
  private static final Logger LOG = System.getLogger(Pool.class.getName());
  private static final int BUDGETS_NAMED = 5;

  private LeftBlocks() {}

  private record Holder(String path, long bytes) {}

  static void report(Pool pool) {
    String left = describe(pool);
    if (left != null) {
      LOG.log(Level.WARNING, left);
    }
  }

  /** The message; null if no block is live. */
  static @Nullable String describe(Pool pool) {
    PoolSnapshot held = pool.snapshot();
    long blocks =
        held.runs() + held.slabs().stream().mapToLong(PoolSnapshot.Slots::liveBlocks).sum();
    if (blocks == 0) {
      return null;
    }
    List<Holder> holders = new ArrayList<>();
    collect(pool.rootBudget(), holders);
    String named =
        holders.stream()
            .sorted(Comparator.comparingLong(Holder::bytes).reversed())
            .limit(BUDGETS_NAMED)
            .map(holder -> "'%s' %,d".formatted(holder.path, holder.bytes))
            .collect(Collectors.joining(", "));
    int more = Math.max(0, holders.size() - BUDGETS_NAMED);
    return "pool '%s' is closed with %,d live %s of %,d bytes, charged to %s%s. They stay valid, and the pool's addresses taken, until they are released."
        .formatted(
            pool.options().name(),
            blocks,
            blocks == 1 ? "block" : "blocks",
            held.liveBlockBytes(),
            named,
            more == 0 ? "" : " and %,d more".formatted(more));
  }

  /** What each budget holds beyond what its children account for. */
  private static void collect(Budget budget, List<Holder> holders) {
    long ownBytes = budget.chargedBytes() - budget.chargedToChildrenBytes();
    if (ownBytes > 0) {
      holders.add(new Holder(budget.path(), ownBytes));
    }
    budget.children().forEach(child -> collect(child, holders));
  }
}
