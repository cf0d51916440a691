package dev.weir.memory.pages;

import java.util.Arrays;

/**
 * The free runs of a region, ordered by address, with the longest length of every subtree: finds
 * the lowest run of at least a given length, the run that holds or precedes a page, and the run
 * that follows it, each in O(log n) expected steps for n free runs.
 *
 * <p>Units are pages. Runs do not overlap; merging neighbours is the caller's business. Not
 * thread-safe.
 */
/*
 * A treap (Seidel and Aragon, "Randomized Search Trees", Algorithmica 16, 1996) in parallel arrays: no object per
 * node, no garbage. Node 0 is "none", with a longest length of 0. Priorities come from a hash of the node's number, so
 * a sequence of operations always builds the same tree.
 */
final class FreeRuns {
  static final long NONE = -1;

  private long[] start = new long[16];
  private long[] length = new long[16];
  private long[] longest = new long[16];
  private int[] left = new int[16];
  private int[] right = new int[16];

  private int root;
  private int nodes = 1;
  private int spareNodes;
  private int size;

  private int splitLow;
  private int splitHigh;

  int size() {
    return size;
  }

  /** The length of the longest free run, 0 if there is none. */
  long longest() {
    return longest[root];
  }

  void add(long runStart, long runLength) {
    int node = newNode(runStart, runLength);
    root = insert(root, node);
    size++;
  }

  /** Removes the run that starts at {@code runStart}, which must exist. */
  void remove(long runStart) {
    root = delete(root, runStart);
    size--;
  }

  /** Changes a run in place. The new run must keep its position between its neighbours. */
  void resize(long runStart, long newStart, long newLength) {
    change(root, runStart, newStart, newLength);
  }

  /** The start of the lowest run of at least {@code pages}, or {@link #NONE}. */
  long firstFit(long pages) {
    int node = root;
    if (longest[node] < pages) {
      return NONE;
    }
    while (true) {
      if (longest[left[node]] >= pages) {
        node = left[node];
      } else if (length[node] >= pages) {
        return start[node];
      } else {
        node = right[node];
      }
    }
  }

  /** The start of the last run that starts at or before {@code page}, or {@link #NONE}. */
  long atOrBefore(long page) {
    long found = NONE;
    for (int node = root; node != 0; ) {
      if (start[node] <= page) {
        found = start[node];
        node = right[node];
      } else {
        node = left[node];
      }
    }
    return found;
  }

  /** The start of the first run that starts after {@code page}, or {@link #NONE}. */
  long after(long page) {
    long found = NONE;
    for (int node = root; node != 0; ) {
      if (start[node] > page) {
        found = start[node];
        node = left[node];
      } else {
        node = right[node];
      }
    }
    return found;
  }

  /** The length of the run that starts at {@code runStart}, 0 if none does. */
  long lengthAt(long runStart) {
    for (int node = root; node != 0; ) {
      if (start[node] == runStart) {
        return length[node];
      }
      node = runStart < start[node] ? left[node] : right[node];
    }
    return 0;
  }

  private int insert(int tree, int node) {
    if (tree == 0) {
      return node;
    }
    if (priority(node) > priority(tree)) {
      split(tree, start[node]);
      left[node] = splitLow;
      right[node] = splitHigh;
      update(node);
      return node;
    }
    if (start[node] < start[tree]) {
      left[tree] = insert(left[tree], node);
    } else {
      right[tree] = insert(right[tree], node);
    }
    update(tree);
    return tree;
  }

  /**
   * Splits into the runs before {@code page} ({@link #splitLow}) and the others ({@link
   * #splitHigh}).
   */
  private void split(int tree, long page) {
    if (tree == 0) {
      splitLow = 0;
      splitHigh = 0;
    } else if (start[tree] < page) {
      split(right[tree], page);
      right[tree] = splitLow;
      update(tree);
      splitLow = tree;
    } else {
      split(left[tree], page);
      left[tree] = splitHigh;
      update(tree);
      splitHigh = tree;
    }
  }

  private int delete(int tree, long runStart) {
    if (tree == 0) {
      throw new IllegalArgumentException("no free run starts at page " + runStart);
    }
    if (start[tree] == runStart) {
      int merged = merge(left[tree], right[tree]);
      left[tree] = spareNodes;
      spareNodes = tree;
      return merged;
    }
    if (runStart < start[tree]) {
      left[tree] = delete(left[tree], runStart);
    } else {
      right[tree] = delete(right[tree], runStart);
    }
    update(tree);
    return tree;
  }

  private int merge(int low, int high) {
    if (low == 0) {
      return high;
    }
    if (high == 0) {
      return low;
    }
    if (priority(low) > priority(high)) {
      right[low] = merge(right[low], high);
      update(low);
      return low;
    }
    left[high] = merge(low, left[high]);
    update(high);
    return high;
  }

  private void change(int tree, long runStart, long newStart, long newLength) {
    if (tree == 0) {
      throw new IllegalArgumentException("no free run starts at page " + runStart);
    }
    if (start[tree] == runStart) {
      start[tree] = newStart;
      length[tree] = newLength;
    } else {
      change(runStart < start[tree] ? left[tree] : right[tree], runStart, newStart, newLength);
    }
    update(tree);
  }

  private void update(int node) {
    longest[node] = Math.max(length[node], Math.max(longest[left[node]], longest[right[node]]));
  }

  private static int priority(int node) {
    int h = node * 0x9E3779B9;
    h = (h ^ (h >>> 16)) * 0x85EBCA6B;
    return h ^ (h >>> 13);
  }

  /** Makes sure that the next {@link #add} needs nothing from the Java heap. */
  void makeRoom() {
    if (spareNodes == 0 && nodes == start.length) {
      int capacity = nodes * 2;
      long[] longerStart = Arrays.copyOf(start, capacity);
      long[] longerLength = Arrays.copyOf(length, capacity);
      long[] longerLongest = Arrays.copyOf(longest, capacity);
      int[] longerLeft = Arrays.copyOf(left, capacity);
      right = Arrays.copyOf(right, capacity);
      start = longerStart;
      length = longerLength;
      longest = longerLongest;
      left = longerLeft;
    }
  }

  private int newNode(long runStart, long runLength) {
    makeRoom();
    int node;
    if (spareNodes != 0) {
      node = spareNodes;
      spareNodes = left[node];
    } else {
      node = nodes++;
    }
    start[node] = runStart;
    length[node] = runLength;
    longest[node] = runLength;
    left[node] = 0;
    right[node] = 0;
    return node;
  }
}
