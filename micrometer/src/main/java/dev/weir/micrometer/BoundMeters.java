package dev.weir.micrometer;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;

/** The meters that a binder has added to registries, and takes away again. Thread-safe. */
final class BoundMeters {
  private final Queue<Bound> bound = new ConcurrentLinkedQueue<>();

  private record Bound(MeterRegistry registry, Meter meter) {}

  /**
   * Adds meters to a registry, and notes those that it did not have.
   *
   * @param register returns each meter as the registry has it
   */
  void add(MeterRegistry registry, Function<MeterRegistry, List<Meter>> register) {
    Set<Meter> others = Collections.newSetFromMap(new IdentityHashMap<>());
    others.addAll(registry.getMeters());
    for (Meter meter : register.apply(registry)) {
      if (others.add(meter)) {
        bound.add(new Bound(registry, meter));
      }
    }
  }

  /** Takes them away, from every registry. */
  void removeAll() {
    for (Bound each = bound.poll(); each != null; each = bound.poll()) {
      each.registry().remove(each.meter());
    }
  }
}
