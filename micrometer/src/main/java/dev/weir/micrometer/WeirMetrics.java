package dev.weir.micrometer;

import dev.weir.memory.Pool;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.hardening.Misuse;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * The meters of a pool, and of those of its budgets that are named. Immutable.
 *
 * <pre>
 *   weir.pool.limit                    bytes    the most that may be resident
 *   weir.pool.resident   state=live    bytes    pages in use
 *                        state=dirty   bytes    pages free but resident
 *   weir.pool.resident.peak            bytes    the most that was ever resident
 *   weir.pool.promised                 bytes    promised to grants and not taken yet
 *   weir.pool.purged                   bytes    counter: given back to the operating system
 *   weir.pool.blocks                   blocks   live blocks
 *   weir.pool.blocks.size              bytes    their sizes
 *   weir.pool.waste      kind=…        bytes    live pages without a block: free.slots, uncarved, quarantined, hardening
 *   weir.pool.growth                   bytes    addresses, without memory, that blocks may grow into
 *   weir.pool.misuses    kind=…        misuses  counter: mistakes in the use of hardened blocks
 *   weir.budget.charged  budget=…      bytes    blocks charged to a budget and below
 *   weir.budget.limit    budget=…      bytes    its limit; NaN if it has none
 *   weir.budget.heap     budget=…      bytes    Java heap buffers
 * </pre>
 *
 * <p>All have the tag {@code pool}. The number of meters is fixed when they are bound, whatever
 * budgets come and go. The registry keeps neither the pool nor a budget alive: what is gone reads
 * as NaN. Reading them stops nobody, and looks at the pool at most once a second.
 */
public final class WeirMetrics implements MeterBinder {
  /** So many budgets may be named. */
  public static final int MAX_BUDGETS = 64;

  private final Pool pool;
  private final Tags tags;
  private final List<Budget> budgets;

  /**
   * The meters of a pool.
   *
   * @param tags further tags for all of them
   */
  public WeirMetrics(Pool pool, Iterable<Tag> tags) {
    this(pool, Tags.of(tags).and("pool", pool.rootBudget().name()), List.of());
  }

  /** The meters of a pool, without further tags. */
  public WeirMetrics(Pool pool) {
    this(pool, Tags.empty());
  }

  private WeirMetrics(Pool pool, Tags tags, List<Budget> budgets) {
    this.pool = pool;
    this.tags = tags;
    this.budgets = budgets;
  }

  /**
   * The same, with a budget of the pool. Name those that stay: not one for each channel.
   *
   * @throws IllegalArgumentException if it belongs to another pool
   * @throws IllegalStateException if {@link #MAX_BUDGETS} are named already
   */
  @SuppressWarnings("ReferenceEquality") // a budget is a node, and has one identity
  public WeirMetrics withBudget(Budget budget) {
    if (budget.root() != pool.rootBudget()) {
      throw new IllegalArgumentException(
          "budget '%s' is not of pool '%s'".formatted(budget.path(), pool.rootBudget().name()));
    }
    if (budgets.size() == MAX_BUDGETS) {
      throw new IllegalStateException(
          "%d budgets have meters, as many as may: not also '%s'"
              .formatted(MAX_BUDGETS, budget.path()));
    }
    List<Budget> more = new ArrayList<>(budgets);
    more.add(budget);
    return new WeirMetrics(pool, tags, List.copyOf(more));
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    CachedView views = new CachedView();
    pool(registry, "limit", "the most that may be resident", Tags.empty(), Pool::limitBytes);
    pool(registry, "resident", "pages in memory", Tags.of("state", "live"), Pool::liveBytes);
    pool(registry, "resident", "pages in memory", Tags.of("state", "dirty"), Pool::dirtyBytes);
    pool(
        registry,
        "resident.peak",
        "the most that was ever resident",
        Tags.empty(),
        Pool::peakResidentBytes);
    pool(
        registry,
        "promised",
        "promised to grants and not taken yet",
        Tags.empty(),
        of -> views.of(of).waste().promisedBytes());
    pool(
        registry,
        "blocks.size",
        "sizes of all live blocks",
        Tags.empty(),
        of -> views.of(of).blockBytes());
    waste(registry, "free.slots", of -> views.of(of).waste().freeSlotBytes());
    waste(registry, "uncarved", of -> views.of(of).waste().uncarvedBytes());
    waste(registry, "quarantined", of -> views.of(of).waste().quarantinedBytes());
    waste(registry, "hardening", of -> views.of(of).waste().hardeningBytes());
    pool(
        registry,
        "growth",
        "addresses kept free behind blocks that may grow",
        Tags.empty(),
        of -> views.of(of).waste().growthAddressBytes());
    for (Misuse.Kind kind : Misuse.Kind.values()) {
      misuses(registry, kind);
    }
    Gauge.builder("weir.pool.blocks", pool, of -> views.of(of).blocks())
        .description("live blocks")
        .baseUnit("blocks")
        .tags(tags)
        .register(registry);
    FunctionCounter.builder("weir.pool.purged", pool, of -> views.of(of).purgedBytes())
        .description("given back to the operating system")
        .baseUnit(BaseUnits.BYTES)
        .tags(tags)
        .register(registry);
    FunctionCounter.builder("weir.pool.allocated", pool, of -> of.rootBudget().allocatedBytes())
        .description("allocated since the start, by the samples of the profile")
        .baseUnit(BaseUnits.BYTES)
        .tags(tags)
        .register(registry);
    for (Budget budget : budgets) {
      budget(registry, "charged", "blocks charged to it and below", budget, Budget::chargedBytes);
      budget(registry, "limit", "the most that may be charged", budget, WeirMetrics::limit);
      budget(registry, "heap", "Java heap buffers", budget, Budget::heapBytes);
      FunctionCounter.builder("weir.budget.allocated", budget, Budget::allocatedBytes)
          .description("allocated for it and below since the start, by the samples of the profile")
          .baseUnit(BaseUnits.BYTES)
          .tags(tags.and("budget", budget.path()))
          .register(registry);
    }
  }

  private static double limit(Budget budget) {
    long bytes = budget.limitBytes();
    return bytes == Budget.UNLIMITED ? Double.NaN : bytes;
  }

  private void pool(
      MeterRegistry registry,
      String name,
      String description,
      Tags more,
      ToDoubleFunction<Pool> value) {
    Gauge.builder("weir.pool." + name, pool, value)
        .description(description)
        .baseUnit(BaseUnits.BYTES)
        .tags(tags.and(more))
        .register(registry);
  }

  private void misuses(MeterRegistry registry, Misuse.Kind kind) {
    String name = kind.name().toLowerCase(Locale.ROOT).replace('_', '.');
    FunctionCounter.builder(
            "weir.pool.misuses", pool, of -> of.misuses().counts().getOrDefault(kind, 0L))
        .description("mistakes in the use of hardened blocks")
        .baseUnit("misuses")
        .tags(tags.and("kind", name))
        .register(registry);
  }

  private void waste(MeterRegistry registry, String kind, ToDoubleFunction<Pool> value) {
    pool(registry, "waste", "live pages without a block, by kind", Tags.of("kind", kind), value);
  }

  private void budget(
      MeterRegistry registry,
      String name,
      String description,
      Budget budget,
      ToDoubleFunction<Budget> value) {
    Gauge.builder("weir.budget." + name, budget, value)
        .description(description)
        .baseUnit(BaseUnits.BYTES)
        .tags(tags.and("budget", budget.path()))
        .register(registry);
  }
}
