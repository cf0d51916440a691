package dev.weir.micrometer;

import dev.weir.memory.Pool;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.hardening.Misuse;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.ToDoubleFunction;

/**
 * The meters of a pool, and of those of its budgets that are named. Thread-safe.
 *
 * <pre>
 *   weir.pool.limit                    bytes    the most that may be resident
 *   weir.pool.resident   state=live    bytes    pages in use
 *                        state=dirty   bytes    pages free but resident
 *   weir.pool.resident.peak            bytes    the most that was ever resident
 *   weir.pool.promised                 bytes    promised to grants and not taken yet
 *   weir.pool.purged                   bytes    counter: given back to the operating system
 *   weir.pool.allocated                bytes    counter: allocated since the start, by the samples
 *   weir.pool.blocks                   blocks   live blocks
 *   weir.pool.blocks.size              bytes    their sizes
 *   weir.pool.waste      kind=…        bytes    live pages without a block: free.slots, uncarved, quarantined, hardening
 *   weir.pool.growth                   bytes    addresses, without memory, that blocks may grow into
 *   weir.pool.misuses    kind=…        misuses  counter: mistakes in the use of hardened blocks
 *   weir.budget.charged  budget=…      bytes    blocks charged to a budget and below
 *   weir.budget.limit    budget=…      bytes    its limit; NaN if it has none
 *   weir.budget.heap     budget=…      bytes    Java heap buffers
 *   weir.budget.allocated budget=…     bytes    counter: allocated for it and below, by the samples
 * </pre>
 *
 * <p>All have the tag {@code pool}. The number of meters is fixed when they are bound, whatever
 * budgets come and go. Reading them stops nobody, and looks at the pool at most once a second.
 *
 * <p>The registry keeps neither the pool nor a budget alive: when one has been collected, its
 * gauges read as NaN, and its counters stay at their last value. Until then a pool that is closed
 * reads as it was. {@link #close} takes the meters away. A service that makes another pool of the
 * same name has to do that first: a registry keeps the meters that it has, and the new pool's are
 * not shown.
 */
public final class WeirMetrics implements MeterBinder, AutoCloseable {
  /** So many budgets may be named. */
  public static final int MAX_BUDGETS = 64;

  private final Pool pool;
  private final Tags tags;
  private final List<Budget> budgets;
  private final Queue<Bound> bound = new ConcurrentLinkedQueue<>();

  /** A meter that this object has added to a registry. */
  private record Bound(MeterRegistry registry, Meter meter) {}

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
   * @throws IllegalArgumentException if it belongs to another pool, or one of the same path is
   *     named already
   * @throws IllegalStateException if {@link #MAX_BUDGETS} are named already
   */
  @SuppressWarnings("ReferenceEquality") // a budget is a node, and has one identity
  public WeirMetrics withBudget(Budget budget) {
    if (budget.root() != pool.rootBudget()) {
      throw new IllegalArgumentException(
          "budget '%s' is not of pool '%s'".formatted(budget.path(), pool.rootBudget().name()));
    }
    if (budgets.stream().anyMatch(named -> named.path().equals(budget.path()))) {
      throw new IllegalArgumentException(
          "a budget '%s' has meters already, and those of another would not be shown"
              .formatted(budget.path()));
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

  /** Adds the meters to a registry, except those that it has already. */
  @Override
  public void bindTo(MeterRegistry registry) {
    Set<Meter> others = Collections.newSetFromMap(new IdentityHashMap<>());
    others.addAll(registry.getMeters());
    for (Meter meter : register(registry)) {
      if (others.add(meter)) {
        bound.add(new Bound(registry, meter));
      }
    }
  }

  /** Takes the meters that this object has added away again, from every registry. */
  @Override
  public void close() {
    for (Bound each = bound.poll(); each != null; each = bound.poll()) {
      each.registry().remove(each.meter());
    }
  }

  private List<Meter> register(MeterRegistry registry) {
    List<Meter> meters = new ArrayList<>();
    CachedView views = new CachedView();
    pool(
        meters, registry, "limit", "the most that may be resident", Tags.empty(), Pool::limitBytes);
    pool(
        meters, registry, "resident", "pages in memory", Tags.of("state", "live"), Pool::liveBytes);
    pool(
        meters,
        registry,
        "resident",
        "pages in memory",
        Tags.of("state", "dirty"),
        Pool::dirtyBytes);
    pool(
        meters,
        registry,
        "resident.peak",
        "the most that was ever resident",
        Tags.empty(),
        Pool::peakResidentBytes);
    pool(
        meters,
        registry,
        "promised",
        "promised to grants and not taken yet",
        Tags.empty(),
        of -> views.of(of).waste().promisedBytes());
    pool(
        meters,
        registry,
        "blocks.size",
        "sizes of all live blocks",
        Tags.empty(),
        of -> views.of(of).blockBytes());
    waste(meters, registry, "free.slots", of -> views.of(of).waste().freeSlotBytes());
    waste(meters, registry, "uncarved", of -> views.of(of).waste().uncarvedBytes());
    waste(meters, registry, "quarantined", of -> views.of(of).waste().quarantinedBytes());
    waste(meters, registry, "hardening", of -> views.of(of).waste().hardeningBytes());
    pool(
        meters,
        registry,
        "growth",
        "addresses kept free behind blocks that may grow",
        Tags.empty(),
        of -> views.of(of).waste().growthAddressBytes());
    for (Misuse.Kind kind : Misuse.Kind.values()) {
      misuses(meters, registry, kind);
    }
    meters.add(
        Gauge.builder("weir.pool.blocks", pool, of -> views.of(of).blocks())
            .description("live blocks")
            .baseUnit("blocks")
            .tags(tags)
            .register(registry));
    meters.add(
        FunctionCounter.builder("weir.pool.purged", pool, of -> views.of(of).purgedBytes())
            .description("given back to the operating system")
            .baseUnit(BaseUnits.BYTES)
            .tags(tags)
            .register(registry));
    meters.add(
        FunctionCounter.builder("weir.pool.allocated", pool, of -> of.rootBudget().allocatedBytes())
            .description("allocated since the start, by the samples of the profile")
            .baseUnit(BaseUnits.BYTES)
            .tags(tags)
            .register(registry));
    for (Budget budget : budgets) {
      budget(
          meters,
          registry,
          "charged",
          "blocks charged to it and below",
          budget,
          Budget::chargedBytes);
      budget(meters, registry, "limit", "the most that may be charged", budget, WeirMetrics::limit);
      budget(meters, registry, "heap", "Java heap buffers", budget, Budget::heapBytes);
      meters.add(
          FunctionCounter.builder("weir.budget.allocated", budget, Budget::allocatedBytes)
              .description(
                  "allocated for it and below since the start, by the samples of the profile")
              .baseUnit(BaseUnits.BYTES)
              .tags(tags.and("budget", budget.path()))
              .register(registry));
    }
    return meters;
  }

  private static double limit(Budget budget) {
    long bytes = budget.limitBytes();
    return bytes == Budget.UNLIMITED ? Double.NaN : bytes;
  }

  private void pool(
      List<Meter> meters,
      MeterRegistry registry,
      String name,
      String description,
      Tags more,
      ToDoubleFunction<Pool> value) {
    meters.add(
        Gauge.builder("weir.pool." + name, pool, value)
            .description(description)
            .baseUnit(BaseUnits.BYTES)
            .tags(tags.and(more))
            .register(registry));
  }

  private void misuses(List<Meter> meters, MeterRegistry registry, Misuse.Kind kind) {
    String name = kind.name().toLowerCase(Locale.ROOT).replace('_', '.');
    meters.add(
        FunctionCounter.builder(
                "weir.pool.misuses", pool, of -> of.misuses().counts().getOrDefault(kind, 0L))
            .description("mistakes in the use of hardened blocks")
            .baseUnit("misuses")
            .tags(tags.and("kind", name))
            .register(registry));
  }

  private void waste(
      List<Meter> meters, MeterRegistry registry, String kind, ToDoubleFunction<Pool> value) {
    pool(
        meters,
        registry,
        "waste",
        "live pages without a block, by kind",
        Tags.of("kind", kind),
        value);
  }

  private void budget(
      List<Meter> meters,
      MeterRegistry registry,
      String name,
      String description,
      Budget budget,
      ToDoubleFunction<Budget> value) {
    meters.add(
        Gauge.builder("weir.budget." + name, budget, value)
            .description(description)
            .baseUnit(BaseUnits.BYTES)
            .tags(tags.and("budget", budget.path()))
            .register(registry));
  }
}
