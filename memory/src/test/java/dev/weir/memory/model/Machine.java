package dev.weir.memory.model;

import java.util.Arrays;

/**
 * The state of a few threads at one moment: shared words, and for each thread where it is, its own
 * words, and the stores that no other thread sees yet.
 *
 * <p>A store goes into its thread's buffer and becomes visible later, in order (TSO). That is the
 * one reordering that a {@code ProcessBarrier} is for.
 */
final class Machine {
  final int[] words;
  final int[] positions;
  final int[][] own;

  /** Of each thread, pairs of word and value, the oldest first. */
  private final int[][] stores;

  Machine(int words, int threads, int ownWords) {
    this(new int[words], new int[threads], new int[threads][ownWords], new int[threads][0]);
  }

  private Machine(int[] words, int[] positions, int[][] own, int[][] stores) {
    this.words = words;
    this.positions = positions;
    this.own = own;
    this.stores = stores;
  }

  Machine copy() {
    int[][] ownCopy = own.clone();
    Arrays.setAll(ownCopy, thread -> own[thread].clone());
    return new Machine(words.clone(), positions.clone(), ownCopy, stores.clone());
  }

  /** Equal states have equal keys. */
  String key() {
    return Arrays.toString(words)
        + Arrays.toString(positions)
        + Arrays.deepToString(own)
        + Arrays.deepToString(stores);
  }

  /** What the thread sees: its own last store, or else what all see. */
  int load(int thread, int word) {
    int[] pending = stores[thread];
    for (int i = pending.length - 2; i >= 0; i -= 2) {
      if (pending[i] == word) {
        return pending[i + 1];
      }
    }
    return words[word];
  }

  void store(int thread, int word, int value) {
    int[] pending = stores[thread];
    int[] longer = Arrays.copyOf(pending, pending.length + 2);
    longer[pending.length] = word;
    longer[pending.length + 1] = value;
    stores[thread] = longer;
  }

  /** A compare-and-set, which is a full fence too. */
  boolean compareAndSet(int thread, int word, int expected, int value) {
    fence(thread);
    if (words[word] != expected) {
      return false;
    }
    words[word] = value;
    return true;
  }

  boolean hasStores(int thread) {
    return stores[thread].length > 0;
  }

  /** The thread's oldest store becomes visible. */
  void drainOne(int thread) {
    int[] pending = stores[thread];
    words[pending[0]] = pending[1];
    stores[thread] = Arrays.copyOfRange(pending, 2, pending.length);
  }

  void fence(int thread) {
    while (hasStores(thread)) {
      drainOne(thread);
    }
  }

  /** A barrier in every thread. */
  void heavyBarrier() {
    for (int thread = 0; thread < stores.length; thread++) {
      fence(thread);
    }
  }
}
