package dev.weir.memory.pages;

import java.util.Arrays;

/**
 * The nodes of a {@link FreeRuns} tree: up to {@link #FANOUT} entries each, ordered by start. An
 * entry of a leaf is a run, its start and its length; an entry of an inner node is a child, with
 * the start of its first run and the length of its longest.
 *
 * <p>Nodes are numbers, their entries lie in parallel arrays: no object for each, no garbage. Not
 * thread-safe.
 */
final class RunNodes {
  /** 32 entries of 8 bytes: four cache lines to look through, and one wrong guess of a branch. */
  static final int FANOUT = 32;

  private long[] starts = new long[2 * FANOUT];
  private long[] lengths = new long[2 * FANOUT];
  private int[] children = new int[2 * FANOUT];
  private int[] counts = new int[2];
  private int used;
  private int spares;

  /** The first of the spare nodes, which are linked through their first child; -1: none. */
  private int spare = -1;

  int count(int node) {
    return counts[node];
  }

  long start(int node, int slot) {
    return starts[node * FANOUT + slot];
  }

  long length(int node, int slot) {
    return lengths[node * FANOUT + slot];
  }

  int child(int node, int slot) {
    return children[node * FANOUT + slot];
  }

  boolean isFull(int node) {
    return counts[node] == FANOUT;
  }

  void set(int node, int slot, long start, long length) {
    starts[node * FANOUT + slot] = start;
    lengths[node * FANOUT + slot] = length;
  }

  /** The last entry that starts at or before a page, or -1. */
  int lastAtOrBefore(int node, long page) {
    int base = node * FANOUT;
    int slot = 0;
    for (int count = counts[node]; slot < count && starts[base + slot] <= page; ) {
      slot++;
    }
    return slot - 1;
  }

  /** The first entry that is at least so long, or -1. */
  int firstFit(int node, long pages) {
    int base = node * FANOUT;
    for (int slot = 0, count = counts[node]; slot < count; slot++) {
      if (lengths[base + slot] >= pages) {
        return slot;
      }
    }
    return -1;
  }

  /** The greatest length in a node, 0 if it is empty. */
  long longest(int node) {
    long longest = 0;
    for (int at = node * FANOUT, end = at + counts[node]; at < end; at++) {
      longest = Math.max(longest, lengths[at]);
    }
    return longest;
  }

  /** Puts a run before the one at {@code slot} of a leaf, which must not be full. */
  void insertRun(int leaf, int slot, long start, long length) {
    int at = leaf * FANOUT + slot;
    moveRuns(at, at + 1, counts[leaf] - slot);
    starts[at] = start;
    lengths[at] = length;
    counts[leaf]++;
  }

  /** Puts a child before the one at {@code slot} of an inner node, which must not be full. */
  void insertChild(int node, int slot, long start, long length, int child) {
    int at = node * FANOUT + slot;
    move(at, at + 1, counts[node] - slot);
    starts[at] = start;
    lengths[at] = length;
    children[at] = child;
    counts[node]++;
  }

  /** Takes a run out of a leaf. */
  void removeRun(int leaf, int slot) {
    int at = leaf * FANOUT + slot;
    moveRuns(at + 1, at, counts[leaf] - slot - 1);
    counts[leaf]--;
  }

  /** Takes a child out of an inner node. */
  void removeChild(int node, int slot) {
    int at = node * FANOUT + slot;
    move(at + 1, at, counts[node] - slot - 1);
    counts[node]--;
  }

  /** Moves the entries from {@code slot} on to the end of another node. */
  void moveTail(int node, int slot, int target) {
    int moved = counts[node] - slot;
    move(node * FANOUT + slot, target * FANOUT + counts[target], moved);
    counts[node] = slot;
    counts[target] += moved;
  }

  /** Takes an empty node. Needs nothing from the Java heap after {@link #makeRoom}. */
  int take() {
    makeRoom(1);
    int node;
    if (spare >= 0) {
      node = spare;
      spare = children[node * FANOUT];
      spares--;
    } else {
      node = used++;
    }
    counts[node] = 0;
    return node;
  }

  void giveBack(int node) {
    children[node * FANOUT] = spare;
    spare = node;
    spares++;
  }

  /** Makes sure that so many nodes can be taken without anything from the Java heap. */
  private void makeRoom(int nodes) {
    makeRoomFor(used + nodes - spares);
  }

  /** Makes sure that so many nodes in all can be in use without anything from the Java heap. */
  void makeRoomFor(int wanted) {
    if (wanted > counts.length) {
      int capacity = Math.max(wanted, 2 * counts.length);
      long[] longerStarts = Arrays.copyOf(starts, capacity * FANOUT);
      long[] longerLengths = Arrays.copyOf(lengths, capacity * FANOUT);
      int[] longerChildren = Arrays.copyOf(children, capacity * FANOUT);
      counts = Arrays.copyOf(counts, capacity);
      starts = longerStarts;
      lengths = longerLengths;
      children = longerChildren;
    }
  }

  /** How many nodes there is room for. */
  int capacity() {
    return counts.length;
  }

  /** How many nodes the tree has taken and not given back. */
  int inUse() {
    return used - spares;
  }

  private void move(int from, int to, int entries) {
    moveRuns(from, to, entries);
    System.arraycopy(children, from, children, to, entries);
  }

  private void moveRuns(int from, int to, int entries) {
    System.arraycopy(starts, from, starts, to, entries);
    System.arraycopy(lengths, from, lengths, to, entries);
  }
}
