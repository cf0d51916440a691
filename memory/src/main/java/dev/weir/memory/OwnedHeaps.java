package dev.weir.memory;

import dev.weir.memory.heap.OwnedHeap;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** The heaps of the threads that have one. Thread-safe. */
final class OwnedHeaps {
  /** The most heaps that come and go before those whose owners have ended are looked for. */
  private static final int FEW_HEAPS = 64;

  private final Set<OwnedHeap> heaps = ConcurrentHashMap.newKeySet();

  /** How many heaps there may be before the next look; a lost write costs or saves one look. */
  private volatile int heapsAtNextLook = FEW_HEAPS;

  void add(OwnedHeap heap) {
    heaps.add(heap);
    if (heaps.size() > heapsAtNextLook) {
      inherit();
      heapsAtNextLook = Math.max(FEW_HEAPS, 2 * heaps.size());
    }
  }

  /** Takes over what the heaps of ended threads hold, and forgets those that are closed. */
  void inherit() {
    heaps.removeIf(heap -> {
      if (!heap.owner().isAlive()) {
        heap.close();
      }
      // One that is being closed may have to be closed again.
      return heap.isHandedOver();
    });
  }

  void forEach(Consumer<OwnedHeap> action) {
    heaps.forEach(action);
  }

  int size() {
    return heaps.size();
  }
}
