package dev.weir.memory.budget;

/**
 * The pool behind a tree of budgets, as the tree knows it: the root's figures, and whom to tell.
 * Called outside the tree's lock.
 */
public interface RootLedger {
  /** The limit of resident bytes. */
  long limitBytes();

  /** The bytes of all live blocks, those charged to descendants of the root included. */
  long liveBlockBytes();

  /** The bytes of all live heap buffers, those charged to descendants of the root included. */
  long liveHeapBytes();

  /** The bytes of all arrays behind heap buffers: what the root's heap limit limits. */
  long heldHeapBytes();

  /** What cannot be given back at once: live and promised pages. */
  long usedBytes();

  /** {@link #pressureMoved} is wanted once so little or so much is used. */
  void watchUsed(long fallsBelow, long risesAt);

  /** A budget may be under another pressure now: {@link Budget#tellPressure} is due. */
  void pressureMoved();

  /** Charges have gone down while grants wait for that. */
  void roomFreed();
}
