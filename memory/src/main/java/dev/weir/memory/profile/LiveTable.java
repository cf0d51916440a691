package dev.weir.memory.profile;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The samples whose blocks are live: a bounded set. Thread-safe; threads that come at the same
 * moment may exceed the bound by one each.
 */
final class LiveTable {
  private final Set<LiveSample> samples = ConcurrentHashMap.newKeySet();
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

  List<LiveSample> all() {
    return List.copyOf(samples);
  }
}
