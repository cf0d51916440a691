package dev.weir.micrometer;

import dev.weir.memory.Pool;
import dev.weir.memory.budget.Budget;
import dev.weir.memory.hardening.Misuse;
import dev.weir.memory.profile.LeakWatch;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The meters of a pool, and of those of its budgets that are named. Thread-safe.
 *
 * <pre>
 *   weir.pool.limit                    bytes    the most that may be resident
 *   weir.pool.resident   state=live    bytes    pages in use
 *                        state=dirty   bytes    pages free but resident
 *   weir.pool.resident.peak            bytes    the most that was ever resident
 *   weir.pool.heap       state=live    bytes    slots of live heap buffers
 *                        state=free    bytes    what is free in the arrays behind them
 *   weir.pool.promised                 bytes    promised to grants and not taken yet
 *   weir.pool.purged                   bytes    counter: given back to the operating system
 *   weir.pool.allocated                bytes    counter: allocated since the start, by the samples
 *   weir.pool.refusals                 requests counter: refused by a limit
 *   weir.pool.grants.waiting           grants   that wait for room now
 *   weir.pool.grants.timeouts          grants   counter: not met before their deadline
 *   weir.pool.pressure                 level    0 none, 1 high, 2 critical
 *   weir.pool.suspected.leaks          places   in the code, with {@link #withLeakWatch}
 *   weir.pool.blocks                   blocks   live blocks
 *   weir.pool.blocks.size              bytes    their sizes
 *   weir.pool.waste      kind=…        bytes    live pages without a block: free.slots, uncommitted, quarantined, hardening
 *   weir.pool.growth                   bytes    addresses, without memory, that blocks may grow into
 *   weir.pool.misuses    kind=…        misuses  counter: mistakes in the use of hardened blocks
 *   weir.budget.charged  budget=…      bytes    blocks charged to a budget and below
 *   weir.budget.pressure budget=…      level    as of the pool
 *   weir.budget.limit    budget=…      bytes    its limit; NaN if it has none
 *   weir.budget.heap     budget=…      bytes    Java heap buffers
 *   weir.budget.allocated budget=…     bytes    counter: allocated for it and below, by the samples
 * </pre>
 *
 * <p>Those of what was allocated are there if the pool has a profile. They are never below what has
 * been seen live.
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
  private final @Nullable LeakWatch leaks;
  private final BoundMeters bound = new BoundMeters();

  /**
   * The meters of a pool.
   *
   * @param tags further tags for all of them
   */
  public WeirMetrics(Pool pool, Iterable<Tag> tags) {
    this(pool, Tags.of(tags).and("pool", pool.rootBudget().name()), List.of(), /* leaks= */ null);
  }

  /** The meters of a pool, without further tags. */
  public WeirMetrics(Pool pool) {
    this(pool, Tags.empty());
  }

  private WeirMetrics(Pool pool, Tags tags, List<Budget> budgets, @Nullable LeakWatch leaks) {
    this.leaks = leaks;
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
    return new WeirMetrics(pool, tags, List.copyOf(more), leaks);
  }

  /** The same, with the suspects of a watch that somebody has read the pool's profile. */
  public WeirMetrics withLeakWatch(LeakWatch watch) {
    return new WeirMetrics(pool, tags, budgets, watch);
  }

  /** Adds the meters to a registry, except those that it has already. */
  @Override
  public void bindTo(MeterRegistry registry) {
    bound.add(registry, this::register);
  }

  /** Takes the meters that this object has added away again, from every registry. */
  @Override
  public void close() {
    bound.removeAll();
  }

  private List<Meter> register(MeterRegistry registry) {
    List<Meter> meters = new ArrayList<>();
    CachedView views = new CachedView();
    pool(
        meters,
        registry,
        "limit",
        "Limit of what the pool may have resident",
        Tags.empty(),
        Pool::limitBytes);
    pool(
        meters,
        registry,
        "resident",
        "Pages of the pool that are in memory",
        Tags.of("state", "live"),
        Pool::liveBytes);
    pool(
        meters,
        registry,
        "resident",
        "Pages of the pool that are in memory",
        Tags.of("state", "dirty"),
        Pool::dirtyBytes);
    pool(
        meters,
        registry,
        "resident.peak",
        "Most that the pool has ever had resident",
        Tags.empty(),
        Pool::peakResidentBytes);
    pool(
        meters,
        registry,
        "heap",
        "Java heap that the pool holds in arrays for heap buffers",
        Tags.of("state", "live"),
        of -> of.rootBudget().heapBytes());
    pool(
        meters,
        registry,
        "heap",
        "Java heap that the pool holds in arrays for heap buffers",
        Tags.of("state", "free"),
        of -> Math.max(0, of.rootBudget().heldHeapBytes() - of.rootBudget().heapBytes()));
    pool(
        meters,
        registry,
        "promised",
        "Memory that the pool has promised to grants and not given yet",
        Tags.empty(),
        of -> views.of(of).waste().promisedBytes());
    pool(
        meters,
        registry,
        "blocks.size",
        "Size of all live blocks of the pool",
        Tags.empty(),
        of -> views.of(of).blockBytes());
    waste(meters, registry, "free.slots", of -> views.of(of).waste().freeSlotBytes());
    waste(meters, registry, "uncommitted", of -> views.of(of).waste().uncommittedBytes());
    waste(meters, registry, "quarantined", of -> views.of(of).waste().quarantinedBytes());
    waste(meters, registry, "hardening", of -> views.of(of).waste().hardeningBytes());
    pool(
        meters,
        registry,
        "growth",
        "Addresses that the pool keeps free behind blocks that may grow",
        Tags.empty(),
        of -> views.of(of).waste().growthAddressBytes());
    for (Misuse.Kind kind : Misuse.Kind.values()) {
      misuses(meters, registry, kind);
    }
    meters.add(
        Gauge.builder("weir.pool.blocks", pool, of -> views.of(of).blocks())
            .description("Live blocks of the pool")
            .baseUnit("blocks")
            .tags(tags)
            .register(registry));
    meters.add(
        FunctionCounter.builder("weir.pool.purged", pool, of -> views.of(of).purgedBytes())
            .description("Memory that the pool has given back to the operating system")
            .baseUnit(BaseUnits.BYTES)
            .tags(tags)
            .register(registry));
    requests(meters, registry);
    if (pool.options().bytesPerSample() > 0) {
      HighestSeen allocated = new HighestSeen();
      meters.add(
          FunctionCounter.builder(
                  "weir.pool.allocated",
                  pool,
                  of ->
                      allocated.with(
                          Math.max(allocated(of.rootBudget()), views.of(of).blockBytes())))
              .description("Memory ever allocated from the pool, estimated from its profile")
              .baseUnit(BaseUnits.BYTES)
              .tags(tags)
              .register(registry));
    }
    for (Budget budget : budgets) {
      budget(
          meters,
          registry,
          "charged",
          "Blocks charged to the budget and those below it",
          budget,
          Budget::chargedBytes);
      budget(
          meters,
          registry,
          "limit",
          "Limit of what may be charged to the budget",
          budget,
          WeirMetrics::limit);
      budget(
          meters,
          registry,
          "heap",
          "Java heap buffers charged to the budget and those below it",
          budget,
          Budget::heapBytes);
      meters.add(
          Gauge.builder("weir.budget.pressure", budget, WeirMetrics::pressure)
              .description("Pressure on the budget: 0 none, 1 high, 2 critical")
              .tags(tags.and("budget", budget.path()))
              .register(registry));
      if (pool.options().bytesPerSample() > 0) {
        HighestSeen allocated = new HighestSeen();
        meters.add(
            FunctionCounter.builder(
                    "weir.budget.allocated", budget, of -> allocated.with(allocated(of)))
                .description(
                    "Memory ever allocated for the budget and those below it, estimated from the"
                        + " profile")
                .baseUnit(BaseUnits.BYTES)
                .tags(tags.and("budget", budget.path()))
                .register(registry));
      }
    }
    return meters;
  }

  /** What has become of requests, and what threatens those to come. */
  private void requests(List<Meter> meters, MeterRegistry registry) {
    meters.add(
        FunctionCounter.builder("weir.pool.refusals", pool, Pool::refusals)
            .description("Requests that a limit of the pool or of a budget has refused")
            .tags(tags)
            .register(registry));
    meters.add(
        Gauge.builder("weir.pool.grants.waiting", pool, Pool::waitingGrants)
            .description("Grants of the pool that wait for room")
            .tags(tags)
            .register(registry));
    meters.add(
        FunctionCounter.builder("weir.pool.grants.timeouts", pool, Pool::timedOutGrants)
            .description("Grants of the pool that were not met before their deadline")
            .tags(tags)
            .register(registry));
    meters.add(
        Gauge.builder("weir.pool.pressure", pool, of -> pressure(of.rootBudget()))
            .description("Pressure on the pool: 0 none, 1 high, 2 critical")
            .tags(tags)
            .register(registry));
    if (leaks != null) {
      meters.add(
          Gauge.builder("weir.pool.suspected.leaks", leaks, watch -> watch.suspects().size())
              .description("Places in the code that hold more and more old memory of the pool")
              .tags(tags)
              .register(registry));
    }
  }

  /** By the samples, which may be below what is live. */
  private static long allocated(Budget budget) {
    return Math.max(budget.allocatedBytes(), budget.chargedBytes());
  }

  /** The highest value so far: a counter never falls. */
  private static final class HighestSeen {
    private final AtomicLong highest = new AtomicLong();

    long with(long value) {
      return highest.accumulateAndGet(value, Math::max);
    }
  }

  private static double pressure(Budget budget) {
    return switch (budget.pressure()) {
      case NONE -> 0;
      case HIGH -> 1;
      case CRITICAL -> 2;
    };
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
            .description("Mistakes in the use of hardened blocks of the pool")
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
        "Live pages of the pool that hold no block, by kind",
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
