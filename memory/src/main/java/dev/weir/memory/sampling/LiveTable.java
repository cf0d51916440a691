package dev.weir.memory.sampling;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The samples whose blocks are live: a bounded set. Thread-safe; threads that come at the same
 * moment may exceed the bound by one each.
 */
final class LiveTable {
  /** The most places whose frames are shared; beyond, it begins anew. */
  private static final int MAX_NAMED = 2_048;

  private final Set<LiveSample> samples = ConcurrentHashMap.newKeySet();
  private final Map<List<StackTraceElement>, SampledStack> named = new ConcurrentHashMap<>();
  private final int capacity;

  LiveTable(int capacity) {
    this.capacity = capacity;
  }

  boolean isFull() {
    return samples.size() >= capacity;
  }

  void add(LiveSample sample) {
    samples.add(sample);
  }

  void remove(LiveSample sample) {
    samples.remove(sample);
  }

  /** One object for all samples of a place. */
  SampledStack named(List<StackTraceElement> frames) {
    if (named.size() >= MAX_NAMED) {
      named.clear();
    }
    return named.computeIfAbsent(frames, SampledStack.Named::new);
  }

  List<LiveSample> all() {
    return List.copyOf(samples);
  }
}
