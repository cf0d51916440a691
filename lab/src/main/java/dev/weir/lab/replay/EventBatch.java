package dev.weir.lab.replay;

import dev.weir.lab.contender.BlockStore;
import dev.weir.lab.contender.Writing;
import java.util.Arrays;

/**
 * A few events of a trace in arrays, so that they can be played without anything in between: what
 * is measured is the allocator, the writing, and 2 to 5 ns an event. Used by one thread.
 */
final class EventBatch {
  /** As many as an event loop takes at a time. */
  static final int MOST_EVENTS = 256;

  /** What {@link #address} says of an event that had no block to act on. */
  static final long SKIPPED = -1;

  private static final int RELEASE = 0;

  private final BlockStore store;
  private final Writing writing;
  private final boolean isWritten;

  private final int[] slots = new int[MOST_EVENTS];

  /** More than 0 for an allocation, less for a growth: the size with its sign turned. */
  private final int[] sizes = new int[MOST_EVENTS];

  private final long[] addresses = new long[MOST_EVENTS];
  private int count;

  /** The size of the block in each slot; 0 where none lives, or was refused. */
  private int[] held = new int[64];

  EventBatch(BlockStore store, Writing writing) {
    this.store = store;
    this.writing = writing;
    this.isWritten = store.isReal();
  }

  boolean isFull() {
    return count == MOST_EVENTS;
  }

  int count() {
    return count;
  }

  void allocate(int slot, int bytes) {
    if (slot >= held.length) {
      held = Arrays.copyOf(held, Math.max(slot + 1, held.length * 2));
    }
    add(slot, bytes);
  }

  void release(int slot) {
    add(slot, RELEASE);
  }

  void grow(int slot, int bytes) {
    add(slot, -bytes);
  }

  private void add(int slot, int size) {
    slots[count] = slot;
    sizes[count++] = size;
  }

  void clear() {
    count = 0;
  }

  /** Plays all of them, and returns how long that took, in nanoseconds. */
  long play() {
    long begun = System.nanoTime();
    for (int event = 0; event < count; event++) {
      int slot = slots[event];
      int size = sizes[event];
      if (size > 0) {
        addresses[event] = playAllocation(slot, size);
      } else if (held[slot] == 0) {
        addresses[event] = SKIPPED;
      } else if (size == RELEASE) {
        held[slot] = 0;
        store.release(slot);
        addresses[event] = 0;
      } else {
        addresses[event] = playGrowth(slot, -size);
      }
    }
    return System.nanoTime() - begun;
  }

  private long playAllocation(int slot, int bytes) {
    long address = store.allocate(slot, bytes);
    if (address != BlockStore.REFUSED) {
      held[slot] = bytes;
      if (isWritten) {
        writing.write(address, bytes);
      }
    }
    return address;
  }

  private long playGrowth(int slot, int bytes) {
    int before = held[slot];
    long address = store.grow(slot, before, bytes);
    if (address != BlockStore.REFUSED) {
      held[slot] = bytes;
      if (isWritten && bytes > before) {
        writing.write(address + before, bytes - before);
      }
    }
    return address;
  }

  int slot(int event) {
    return slots[event];
  }

  boolean isRelease(int event) {
    return sizes[event] == RELEASE;
  }

  boolean isGrowth(int event) {
    return sizes[event] < 0;
  }

  /** What the event asked for; 0 of a release. */
  int bytes(int event) {
    return Math.abs(sizes[event]);
  }

  /** Where the block is then; {@link BlockStore#REFUSED}, or {@link #SKIPPED}. */
  long address(int event) {
    return addresses[event];
  }

  /** Releases all that is live. */
  void releaseAll() {
    for (int slot = 0; slot < held.length; slot++) {
      if (held[slot] != 0) {
        held[slot] = 0;
        store.release(slot);
      }
    }
  }
}
