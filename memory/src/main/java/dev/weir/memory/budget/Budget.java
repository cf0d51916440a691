package dev.weir.memory.budget;

import dev.weir.memory.sync.SpinLock;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A node in a tree of limits and counters.
 *
 * <p>The root stands for the pool: its limit is that of <em>resident pages</em>, which the page
 * heap enforces, and blocks charged to it cost nothing here. Every other node limits <em>charged
 * bytes</em>: the sizes of the blocks charged to it and to its descendants. Each node also counts
 * and limits bytes of Java heap buffers, apart from that.
 *
 * <p>A charge succeeds in every node from the charged one up to the root, or in none: no node ever
 * shows a charge that another node refuses, so a giant above the limit does not fail a small
 * request beside it. A block is charged before its pages are taken: where the pool has none, its
 * charge shows meanwhile, and in the peak. Thread-safe; bytes throughout.
 */
/*
 * One spin lock for the whole tree makes a charge exact in a few nanoseconds. Lock order: heap stripe, page heap, budget
 * tree; nothing is called under this lock.
 */
public final class Budget {
  /** No limit of its own. */
  public static final long UNLIMITED = Long.MAX_VALUE;

  private static final int MAX_NAME_LENGTH = 128;

  private final SpinLock treeLock;
  private final String name;
  private final @Nullable Budget parent;
  private final LongSupplier ownChargedBytes;
  private final List<Budget> children = new ArrayList<>();
  private final LongSupplier rootLimitBytes;
  private long limitBytes;
  private long heapLimitBytes;
  private long chargedBytes;

  /** The part of {@link #chargedBytes} that no descendant accounts for. */
  private long directBytes;

  private long peakChargedBytes;
  private long heapBytes;
  private boolean closed;

  private Budget(
      SpinLock treeLock,
      String name,
      @Nullable Budget parent,
      long limitBytes,
      long heapLimitBytes,
      LongSupplier rootLimitBytes,
      LongSupplier ownChargedBytes) {
    this.treeLock = treeLock;
    this.name = name;
    this.parent = parent;
    this.limitBytes = limitBytes;
    this.heapLimitBytes = heapLimitBytes;
    this.rootLimitBytes = rootLimitBytes;
    this.ownChargedBytes = ownChargedBytes;
  }

  /**
   * Creates the root of a tree.
   *
   * @param residentLimitBytes tells the pool's limit of resident bytes
   * @param heapLimitBytes the limit of Java heap buffers
   * @param liveBlockBytes tells the bytes of all live blocks, those charged to descendants included
   */
  public static Budget root(
      String name,
      LongSupplier residentLimitBytes,
      long heapLimitBytes,
      LongSupplier liveBlockBytes) {
    return new Budget(
        new SpinLock(),
        requireName(name),
        null,
        UNLIMITED,
        heapLimitBytes,
        residentLimitBytes,
        liveBlockBytes);
  }

  /**
   * Creates a budget below this one.
   *
   * @param childName unique enough for people; at most 128 characters, not blank
   * @param childLimitBytes the most that may be charged to it; {@link #UNLIMITED} leaves that to
   *     its ancestors
   * @throws IllegalArgumentException if the name or the limit is out of range
   * @throws IllegalStateException if this budget is closed
   */
  public Budget child(String childName, long childLimitBytes) {
    if (childLimitBytes < 0) {
      throw new IllegalArgumentException(
          "limit of budget '" + childName + "' is negative: " + childLimitBytes);
    }
    Budget child =
        new Budget(
            treeLock,
            requireName(childName),
            this,
            childLimitBytes,
            UNLIMITED,
            () -> childLimitBytes,
            () -> 0);
    treeLock.lock();
    try {
      if (isCut()) {
        throw new IllegalStateException("budget '" + path() + "' is closed");
      }
      children.add(child);
    } finally {
      treeLock.unlock();
    }
    return child;
  }

  /** Its own name. */
  public String name() {
    return name;
  }

  /** Its name behind those of its ancestors, from the root on, with slashes between them. */
  public String path() {
    return parent == null ? name : parent.path() + "/" + name;
  }

  /** The budget at the top of its tree. */
  public Budget root() {
    Budget node = this;
    while (node.parent != null) {
      node = node.parent;
    }
    return node;
  }

  /** The budget above it; null for the root. */
  public @Nullable Budget parent() {
    return parent;
  }

  /**
   * Whether blocks are charged here: true for all but the root, whose ledger is the page heap's.
   */
  public boolean isTracked() {
    return parent != null;
  }

  /**
   * Resident bytes for the root, charged bytes for every other node; {@link #UNLIMITED} if it has
   * none.
   */
  public long limitBytes() {
    return parent == null ? rootLimitBytes.getAsLong() : locked(() -> limitBytes);
  }

  /**
   * Changes the limit of a node below the root. A limit below what is charged takes effect as
   * memory is freed.
   */
  public void setLimitBytes(long bytes) {
    if (parent == null) {
      throw new IllegalStateException("the limit of the root budget is its pool's: set it there");
    }
    if (bytes < 0) {
      throw new IllegalArgumentException("limit of budget '" + path() + "' is negative: " + bytes);
    }
    treeLock.lock();
    limitBytes = bytes;
    treeLock.unlock();
  }

  /** Bytes of live blocks charged to it and its descendants. */
  public long chargedBytes() {
    return parent == null ? ownChargedBytes.getAsLong() : locked(() -> chargedBytes);
  }

  /**
   * Bytes of live blocks charged to its descendants: the part of {@link #chargedBytes()} that they
   * account for.
   */
  public long chargedToChildrenBytes() {
    return locked(() -> children.stream().mapToLong(child -> child.chargedBytes).sum());
  }

  /** The most that was ever charged; 0 for the root. */
  public long peakChargedBytes() {
    return locked(() -> peakChargedBytes);
  }

  /** Bytes of Java heap buffers held by it and its descendants. */
  public long heapBytes() {
    return locked(() -> heapBytes);
  }

  /** The limit of Java heap buffers. */
  public long heapLimitBytes() {
    return locked(() -> heapLimitBytes);
  }

  /** Changes the limit of Java heap buffers. */
  public void setHeapLimitBytes(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException(
          "heap limit of budget '" + path() + "' is negative: " + bytes);
    }
    treeLock.lock();
    heapLimitBytes = bytes;
    treeLock.unlock();
  }

  /** A copy of the list of its children. */
  public List<Budget> children() {
    treeLock.lock();
    try {
      return List.copyOf(children);
    } finally {
      treeLock.unlock();
    }
  }

  /**
   * Charges a block to this node and all above it, or to none. The root accepts everything: pages
   * are its limit.
   */
  public boolean tryCharge(long bytes) {
    if (parent == null) {
      return true;
    }
    treeLock.lock();
    try {
      if (isCut()) {
        return false;
      }
      for (Budget node = this; node.parent != null; node = node.parent) {
        if (bytes > node.limitBytes - node.chargedBytes) {
          return false;
        }
      }
      for (Budget node = this; node.parent != null; node = node.parent) {
        node.chargedBytes += bytes;
        node.peakChargedBytes = Math.max(node.peakChargedBytes, node.chargedBytes);
      }
      directBytes += bytes;
      return true;
    } finally {
      treeLock.unlock();
    }
  }

  /** Whether a charge of so many bytes would succeed now. */
  public boolean hasRoom(long bytes) {
    if (parent == null) {
      return true;
    }
    treeLock.lock();
    try {
      for (Budget node = this; node.parent != null; node = node.parent) {
        if (node.closed || bytes > node.limitBytes - node.chargedBytes) {
          return false;
        }
      }
      return true;
    } finally {
      treeLock.unlock();
    }
  }

  /** Takes a charge back. */
  public void uncharge(long bytes) {
    if (parent == null) {
      return;
    }
    treeLock.lock();
    try {
      directBytes -= bytes;
      for (Budget node = this; node.parent != null; node = node.parent) {
        node.chargedBytes -= bytes;
      }
      forgetIfDrained();
    } finally {
      treeLock.unlock();
    }
  }

  /** Counts a Java heap buffer here and in all nodes above, or in none. */
  public boolean tryChargeHeap(long bytes) {
    treeLock.lock();
    try {
      if (isCut()) {
        return false;
      }
      for (Budget node = this; node != null; node = node.parent) {
        if (bytes > node.heapLimitBytes - node.heapBytes) {
          return false;
        }
      }
      for (Budget node = this; node != null; node = node.parent) {
        node.heapBytes += bytes;
      }
      return true;
    } finally {
      treeLock.unlock();
    }
  }

  /** Takes the count of a Java heap buffer back. */
  public void unchargeHeap(long bytes) {
    treeLock.lock();
    try {
      for (Budget node = this; node != null; node = node.parent) {
        node.heapBytes -= bytes;
      }
      forgetIfDrained();
    } finally {
      treeLock.unlock();
    }
  }

  /**
   * The node, from here up, whose limit a charge of so many bytes would exceed; this node if none
   * would.
   */
  public Budget limiting(long bytes) {
    treeLock.lock();
    try {
      for (Budget node = this; node.parent != null; node = node.parent) {
        if (bytes > node.limitBytes - node.chargedBytes) {
          return node;
        }
      }
      return this;
    } finally {
      treeLock.unlock();
    }
  }

  /**
   * Takes this budget out of the tree: nothing more can be charged to it or below it. What is
   * charged stays charged, here and above, until it is released.
   */
  public void close() {
    if (parent == null) {
      throw new IllegalStateException("the root budget is closed with its pool");
    }
    treeLock.lock();
    try {
      closed = true;
      forgetIfDrained();
    } finally {
      treeLock.unlock();
    }
  }

  /** Whether it or a budget above it has been closed. */
  public boolean isClosed() {
    treeLock.lock();
    try {
      return isCut();
    } finally {
      treeLock.unlock();
    }
  }

  private boolean isCut() {
    Budget node = this;
    while (node.parent != null && !node.closed) {
      node = node.parent;
    }
    return node.closed;
  }

  /** Under the lock: a closed budget leaves the tree with its last charge. */
  private void forgetIfDrained() {
    for (Budget node = this; node.parent != null; node = node.parent) {
      if (node.closed && node.chargedBytes == 0 && node.heapBytes == 0) {
        node.parent.children.remove(node);
      }
    }
  }

  /**
   * Evaluates, for this node and all below: charged = charged here + charged to the children, and
   * nothing is negative.
   *
   * @throws AssertionError where that does not hold
   */
  public void checkInvariants() {
    treeLock.lock();
    try {
      check();
    } finally {
      treeLock.unlock();
    }
  }

  private void check() {
    long below = 0;
    for (Budget child : children) {
      child.check();
      below += child.chargedBytes;
    }
    if (heapBytes < 0
        || directBytes < 0
        || (parent != null && chargedBytes != directBytes + below)) {
      throw new AssertionError(
          "budget '%s': charged %d, here %d, below %d, heap %d"
              .formatted(path(), chargedBytes, directBytes, below, heapBytes));
    }
  }

  @Override
  public String toString() {
    return "Budget[%s: %d of %d bytes]".formatted(path(), chargedBytes(), limitBytes());
  }

  private long locked(LongSupplier read) {
    treeLock.lock();
    try {
      return read.getAsLong();
    } finally {
      treeLock.unlock();
    }
  }

  private static String requireName(String name) {
    if (name.isBlank() || name.length() > MAX_NAME_LENGTH) {
      throw new IllegalArgumentException(
          "a budget's name has 1 to " + MAX_NAME_LENGTH + " characters: '" + name + "'");
    }
    return name;
  }
}
