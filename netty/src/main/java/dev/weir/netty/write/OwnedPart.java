package dev.weir.netty.write;

/**
 * Something that a write holds and that must go back: once, whatever becomes of the write. Called
 * on one thread at a time.
 */
interface OwnedPart {

  /** The pipeline gets it now. */
  default void hand() {}

  /** Whether the pipeline has not taken its reference, as it must before a write can succeed. */
  boolean isUnused();

  /** Whether nobody has taken, kept or given back a part of it: where there was no more to it. */
  boolean isUntouched();

  /** Whether nothing is left to give back. */
  boolean isGone();

  /** The write has succeeded: gives back what the pipeline has left unused. */
  void settle();

  /** The write has failed, or never began: gives back all that is left, whoever refers to it. */
  void drop();
}
