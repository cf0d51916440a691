package dev.weir.memory.pages;

/**
 * The free runs of a region, ordered by address, with a cursor that is placed on one of them: the
 * lowest run of at least a given length, or the last that starts at or before a page. Each placing
 * and each change is O(log n) for n free runs.
 *
 * <p>Units are pages. Runs do not overlap; merging neighbours is the caller's business. Not
 * thread-safe.
 */
/*
 * A B+ tree whose inner entries tell the longest run below them, so that first fit is one descent: at each level the
 * first entry that is long enough. A few cache lines a level are looked through in order, where a binary tree of the
 * same runs would guess wrongly at every second of a dozen levels. Changes are made where the cursor is, along the
 * path by which it came: a release finds both neighbours in one descent.
 *
 * An inner entry starts where its first run does, exactly. Neighbours under the same parent are joined when both
 * together fill half a node at most, so a tree of n runs has O(n) nodes and O(log n) levels, whatever came before.
 */
final class FreeRuns {
  static final long NONE = -1;

  /** The leaf of a cursor that is on no path. */
  private static final int NOWHERE = -1;

  /** Neighbours with no more entries than this are joined: so a joined node is not split soon. */
  private static final int JOINED = RunNodes.FANOUT / 2;

  /**
   * A tree has no more nodes than a fifth of its runs, and a few. Of {@code k} children of one
   * parent each pair has more than 16 entries, so there are fewer than {@code 1 + entries / 8}: of
   * {@code n} runs {@code n / 8} leaves and one for each parent, of these an eighth, and so on.
   */
  private static final int RUNS_A_NODE = 5;

  private static final int SPARE_NODES = 16;

  /** More levels than a tree can have that fits into memory: each has four times the nodes. */
  private static final int MAX_HEIGHT = 20;

  private final RunNodes nodes = new RunNodes();
  private int root = nodes.take();
  private int height = 1;
  private int size;

  /** The cursor's way from its leaf, at 0, to the root: in each node the entry it goes through. */
  private final int[] pathNode = new int[MAX_HEIGHT];

  private final int[] pathSlot = new int[MAX_HEIGHT];

  FreeRuns() {
    pathNode[0] = NOWHERE;
  }

  int size() {
    return size;
  }

  /** How many nodes there is room for in the Java heap. */
  int nodeCapacity() {
    return nodes.capacity();
  }

  /** The length of the longest free run, 0 if there is none. */
  long longest() {
    return nodes.longest(root);
  }

  /**
   * Places the cursor on the lowest run of at least so many pages.
   *
   * @return where it starts, or {@link #NONE}; then the cursor is nowhere
   */
  long firstFit(long pages) {
    int node = root;
    for (int level = height - 1; level >= 0; level--) {
      int slot = nodes.firstFit(node, pages);
      pathNode[level] = node;
      pathSlot[level] = slot;
      if (slot < 0) {
        pathNode[0] = NOWHERE;
        return NONE;
      }
      if (level > 0) {
        node = nodes.child(node, slot);
      }
    }
    return start();
  }

  /**
   * Places the cursor on the last run that starts at or before a page; before the first run, if
   * there is none.
   *
   * @return where it starts, or {@link #NONE}
   */
  long seek(long page) {
    int node = root;
    for (int level = height - 1; level > 0; level--) {
      int slot = Math.max(0, nodes.lastAtOrBefore(node, page));
      pathNode[level] = node;
      pathSlot[level] = slot;
      node = nodes.child(node, slot);
    }
    pathNode[0] = node;
    pathSlot[0] = nodes.lastAtOrBefore(node, page);
    return pathSlot[0] < 0 ? NONE : start();
  }

  /** Whether the cursor is on the run that starts at this page. */
  boolean isAt(long page) {
    return pathNode[0] != NOWHERE && pathSlot[0] >= 0 && start() == page;
  }

  /** The start of the run that the cursor is on. */
  long start() {
    return nodes.start(pathNode[0], pathSlot[0]);
  }

  /** The length of the run that the cursor is on. */
  long length() {
    return nodes.length(pathNode[0], pathSlot[0]);
  }

  /** The start of the run behind the cursor's, or {@link #NONE}. */
  long nextStart() {
    int level = levelOfNext();
    return level < 0 ? NONE : nodes.start(pathNode[level], pathSlot[level] + 1);
  }

  /** Moves the cursor to the next run, which must exist. */
  void moveNext() {
    int level = levelOfNext();
    if (level < 0) {
      throw new IllegalStateException("no run follows");
    }
    pathSlot[level]++;
    while (level > 0) {
      int child = nodes.child(pathNode[level], pathSlot[level]);
      level--;
      pathNode[level] = child;
      pathSlot[level] = 0;
    }
  }

  /** The lowest level at which something follows the cursor's path, or -1. */
  private int levelOfNext() {
    for (int level = 0; level < height; level++) {
      if (pathSlot[level] + 1 < nodes.count(pathNode[level])) {
        return level;
      }
    }
    return -1;
  }

  /** Changes the cursor's run, which must stay between its neighbours. */
  void resize(long newStart, long newLength) {
    long oldLength = length();
    nodes.set(pathNode[0], pathSlot[0], newStart, newLength);
    tellParents(0, oldLength, newLength);
  }

  /**
   * Lets the cursor's run reach to the end of the next one, which must exist and is removed. The
   * cursor may be anywhere afterwards.
   */
  void swallowNext() {
    long start = start();
    int leaf = pathNode[0];
    int next = pathSlot[0] + 1;
    if (next < nodes.count(leaf)) {
      resize(start, nodes.start(leaf, next) + nodes.length(leaf, next) - start);
      pathSlot[0] = next;
      remove();
    } else {
      moveNext();
      long end = start() + length();
      remove();
      seek(start);
      resize(start, end - start);
    }
  }

  /** Adds a run behind the cursor, before the run that follows it, and moves the cursor there. */
  void insertNext(long runStart, long runLength) {
    if (nodes.isFull(pathNode[0])) {
      split(0);
    }
    pathSlot[0]++;
    nodes.insertRun(pathNode[0], pathSlot[0], runStart, runLength);
    size++;
    tellParents(0, 0, runLength);
  }

  /** Removes the cursor's run. The cursor is nowhere afterwards. */
  void remove() {
    removeEntry(0);
    size--;
    pathNode[0] = NOWHERE;
  }

  /** Makes sure that up to so many runs in all need nothing from the Java heap. */
  void makeRoomFor(int runs) {
    nodes.makeRoomFor(runs / RUNS_A_NODE + SPARE_NODES);
  }

  /**
   * Brings the parents of a node on the path up to date after one of its lengths has changed, or
   * its first start. Where the node's longest run was another one, which it mostly is, none but the
   * parent is looked at.
   */
  private void tellParents(int fromLevel, long oldLength, long newLength) {
    long before = oldLength;
    long now = newLength;
    for (int level = fromLevel; level + 1 < height; level++) {
      int node = pathNode[level];
      int parent = pathNode[level + 1];
      int slot = pathSlot[level + 1];
      long told = nodes.length(parent, slot);
      long longest = now >= told ? now : before < told ? told : nodes.longest(node);
      long first = nodes.start(node, 0);
      if (longest == told && first == nodes.start(parent, slot)) {
        return;
      }
      nodes.set(parent, slot, first, longest);
      before = told;
      now = longest;
    }
  }

  /** Splits a full node of the path; the path leads to the half that the cursor is in. */
  private void split(int level) {
    int node = pathNode[level];
    if (level + 1 == height) {
      root = nodes.take();
      nodes.insertChild(root, 0, nodes.start(node, 0), nodes.longest(node), node);
      pathNode[height] = root;
      pathSlot[height] = 0;
      height++;
    } else if (nodes.isFull(pathNode[level + 1])) {
      split(level + 1);
    }
    int half = RunNodes.FANOUT / 2;
    int right = nodes.take();
    nodes.moveTail(node, half, right);
    int parent = pathNode[level + 1];
    int slot = pathSlot[level + 1];
    nodes.set(parent, slot, nodes.start(node, 0), nodes.longest(node));
    nodes.insertChild(parent, slot + 1, nodes.start(right, 0), nodes.longest(right), right);
    if (pathSlot[level] >= half) {
      pathNode[level] = right;
      pathSlot[level] -= half;
      pathSlot[level + 1]++;
    }
  }

  private void removeEntry(int level) {
    int node = pathNode[level];
    long oldLength = nodes.length(node, pathSlot[level]);
    if (level == 0) {
      nodes.removeRun(node, pathSlot[level]);
    } else {
      nodes.removeChild(node, pathSlot[level]);
    }
    if (level + 1 == height) {
      dropRootsOfOneChild();
    } else if (nodes.count(node) == 0) {
      nodes.giveBack(node);
      removeEntry(level + 1);
    } else {
      tellParents(level, oldLength, 0);
      joinNeighbour(level);
    }
  }

  private void dropRootsOfOneChild() {
    while (height > 1 && nodes.count(root) == 1) {
      int child = nodes.child(root, 0);
      nodes.giveBack(root);
      root = child;
      height--;
    }
  }

  private void joinNeighbour(int level) {
    int parent = pathNode[level + 1];
    int slot = pathSlot[level + 1];
    if (!tryJoin(level, parent, slot) && slot > 0) {
      tryJoin(level, parent, slot - 1);
    }
  }

  /** Joins a child of a node on the path with the one that follows it, if they are small. */
  private boolean tryJoin(int level, int parent, int slot) {
    if (slot + 1 >= nodes.count(parent)) {
      return false;
    }
    int left = nodes.child(parent, slot);
    int right = nodes.child(parent, slot + 1);
    if (nodes.count(left) + nodes.count(right) > JOINED) {
      return false;
    }
    nodes.moveTail(right, 0, left);
    nodes.set(parent, slot, nodes.start(left, 0), nodes.longest(left));
    nodes.giveBack(right);
    pathSlot[level + 1] = slot + 1;
    removeEntry(level + 1);
    return true;
  }

  /** Evaluates: the order of the runs, what inner entries tell, and that small nodes are joined. */
  void checkInvariants() {
    int[] seen = new int[2];
    check(root, height - 1, seen);
    if (seen[1] > size / RUNS_A_NODE + SPARE_NODES) {
      throw new AssertionError(size + " runs in " + seen[1] + " nodes");
    }
    if (seen[0] != size || seen[1] != nodes.inUse()) {
      throw new AssertionError(
          "%d runs (counted %d), %d nodes (counted %d)"
              .formatted(seen[0], size, seen[1], nodes.inUse()));
    }
  }

  private void check(int node, int level, int[] seen) {
    seen[1]++;
    int count = nodes.count(node);
    if (level > 0 && count < (node == root ? 2 : 1)) {
      throw new AssertionError("a node of level " + level + " has " + count + " children");
    }
    for (int slot = 0; slot < count; slot++) {
      if (slot > 0 && nodes.start(node, slot) <= nodes.start(node, slot - 1)) {
        throw new AssertionError("starts are out of order at level " + level);
      }
      if (level == 0) {
        seen[0]++;
        continue;
      }
      int child = nodes.child(node, slot);
      if (nodes.count(child) == 0
          || nodes.start(child, 0) != nodes.start(node, slot)
          || nodes.longest(child) != nodes.length(node, slot)) {
        throw new AssertionError("an entry of level " + level + " differs from its child");
      }
      check(child, level - 1, seen);
    }
  }
}
