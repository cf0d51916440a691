package dev.weir.memory.jfr;

import dev.weir.memory.budget.Budget;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

/** Makes the events. Loaded when something records. */
final class Emission {
  private static final List<WeakReference<RecordedPool>> POOLS = new CopyOnWriteArrayList<>();
  private static final PressureLook PRESSURE = new PressureLook();

  static {
    FlightRecorder.addPeriodicEvent(PoolEvent.class, Emission::pools);
    FlightRecorder.addPeriodicEvent(BudgetEvent.class, Emission::budgets);
    FlightRecorder.addPeriodicEvent(PressureEvent.class, Emission::pressures);
  }

  private Emission() {}

  static void sampled(Budget budget, long blockBytes, double blocks, Supplier<String> caller) {
    AllocationSampleEvent event = new AllocationSampleEvent();
    if (event.shouldCommit()) {
      event.caller = caller.get();
      event.budget = budget.path();
      event.blockBytes = blockBytes;
      event.weightBytes = Math.round(blockBytes * blocks);
      event.commit();
    }
  }

  static void refused(Budget budget, long requestedBytes, Supplier<String> caller) {
    RefusalEvent event = new RefusalEvent();
    // Throttled ones cost nothing more: what is charged to the root is summed up over all slabs.
    if (event.shouldCommit()) {
      Budget limiting = Objects.requireNonNullElse(budget.limiting(requestedBytes), budget);
      long charged = limiting.chargedBytes();
      boolean isShort =
          limiting.isClosed()
              || (limiting.isTracked() && requestedBytes > limiting.limitBytes() - charged);
      Budget named = isShort ? limiting : budget.root();
      event.caller = caller.get();
      event.budget = budget.path();
      event.requestedBytes = requestedBytes;
      event.limitingBudget = named.path();
      event.limitBytes = named.limitBytes();
      event.chargedBytes = named.chargedBytes();
      event.commit();
    }
  }

  static PurgeTimer beginPurge() {
    PurgeEvent event = new PurgeEvent();
    event.begin();
    return (bytes, ranges) -> {
      event.end();
      if (event.isEnabled()) {
        event.bytes = bytes;
        event.ranges = ranges;
        event.commit();
      }
    };
  }

  /** Pools come now and then, and are few. */
  @SuppressWarnings("ReferenceEquality") // a pool is its identity
  static synchronized void lookAfter(RecordedPool pool) {
    POOLS.removeIf(known -> isGone(known.get()));
    if (POOLS.stream().noneMatch(known -> known.get() == pool)) {
      POOLS.add(new WeakReference<>(pool));
    }
  }

  private static boolean isGone(@Nullable RecordedPool pool) {
    return pool == null || pool.isGone();
  }

  private static List<RecordedPool> live() {
    return POOLS.stream()
        .map(WeakReference::get)
        .filter(Objects::nonNull)
        .filter(pool -> !pool.isGone())
        .toList();
  }

  private static void pools() {
    for (RecordedPool pool : live()) {
      RecordedPool.Figures figures = pool.figures();
      PoolEvent event = new PoolEvent();
      event.pool = figures.name();
      event.limitBytes = figures.limitBytes();
      event.liveBytes = figures.liveBytes();
      event.dirtyBytes = figures.dirtyBytes();
      event.peakResidentBytes = figures.peakResidentBytes();
      event.promisedBytes = figures.promisedBytes();
      event.blocks = figures.blocks();
      event.blockBytes = figures.blockBytes();
      event.freeSlotBytes = figures.freeSlotBytes();
      event.uncommittedBytes = figures.uncommittedBytes();
      event.hardeningBytes = figures.hardeningBytes();
      event.purgedBytes = figures.purgedBytes();
      event.commit();
    }
  }

  private static void budgets() {
    for (RecordedPool pool : live()) {
      for (Budget budget : LargestBudgets.below(pool.root())) {
        BudgetEvent event = new BudgetEvent();
        event.budget = budget.path();
        event.chargedBytes = budget.chargedBytes();
        event.peakBytes = budget.peakChargedBytes();
        event.limitBytes = budget.limitBytes();
        event.heapBytes = budget.heapBytes();
        event.heldHeapBytes = budget.heldHeapBytes();
        event.pressure = budget.pressure().name();
        event.commit();
      }
    }
  }

  private static void pressures() {
    for (RecordedPool pool : live()) {
      PRESSURE.look(pool.root());
    }
  }
}
