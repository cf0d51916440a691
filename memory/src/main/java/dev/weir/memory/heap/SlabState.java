package dev.weir.memory.heap;

/**
 * Where a slab stands with the heap that has it. {@link SlabLists} makes every transition, with the
 * heap's lock.
 *
 * <pre>
 *                     a heap opens it, or takes it back
 *              RETIRED --------------------------------> CURRENT
 *                 ^                                      |  ^  |
 *                 |  no live slot          exhausted, or |  |  | exhausted: all slots live
 *                 |                        handed over   |  |  |
 *                 |                                      v  |  v
 *                 +------------------------------- AVAILABLE   FULL or PARTLY_COMMITTED
 *                                                     |  ^     |  ^   |
 *                                                     |  +-----+  |   | no slot is free elsewhere:
 *                                                     | freed slot|   | its other pages are committed,
 *                                                     +-----------+   | and it becomes CURRENT
 *                                                       exhausted     +----------------------------
 * </pre>
 */
enum SlabState {
  /** It has no live slot, and is the page heap's: whoever needs its size class next gets it. */
  RETIRED,

  /** Its heap takes slots of its class from it first. */
  CURRENT,

  /** It has had a free slot since it was full, or ceased to be current, and waits in a queue. */
  AVAILABLE,

  /** Every slot was live. It is in no queue, and its heap is notified of the next free slot. */
  FULL,

  /**
   * As {@link #FULL}, but not all of its slots have pages: these were given back, or never used. It
   * waits in a queue of its own, since to commit pages is dearer than any free slot.
   */
  PARTLY_COMMITTED;

  /** Whether no slot was free when it came to this state: it carries a mark then. */
  boolean isFull() {
    return this == FULL || this == PARTLY_COMMITTED;
  }

  /** Whether the life cycle leads from this state to another. */
  boolean mayBecome(SlabState next) {
    return switch (this) {
      case RETIRED -> next == CURRENT;
      case CURRENT -> next != CURRENT;
      case AVAILABLE -> true; // AVAILABLE too: in another heap.
      case FULL -> next == AVAILABLE;
      case PARTLY_COMMITTED -> next == AVAILABLE || next == CURRENT;
    };
  }
}
