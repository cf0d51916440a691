package dev.weir.memory.budget;

/**
 * Why a charge was refused for which no credit was taken back.
 *
 * @param full the budget, from the charged one up, that had no room, or the charged one if it is
 *     closed: the first that seems to have none without the credit of heaps either, if any does
 * @param hope whether it would fit without the credit that heaps hold
 */
public record RefusedCharge(Budget full, Hope hope) {
  /** Whether taking back the credit of heaps may help. */
  public enum Hope {
    /** The limit itself is in the way, or the budget is closed. */
    NONE,
    /** By what heaps could hold, not by what they seem to. */
    SLIGHT,
    /** By what they seem to hold, which is read of one after the other. */
    GOOD
  }
}
