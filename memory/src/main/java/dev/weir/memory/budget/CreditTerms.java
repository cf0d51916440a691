package dev.weir.memory.budget;

/**
 * How much unspent credit a heap may hold of one budget, in bytes.
 *
 * @param quantumBytes what it is given at a time
 * @param maxBytes the most that it keeps of what is released
 * @param roomBytes what every limit above must leave behind a quantum: where a limit is nearer,
 *     each charge goes to the tree, and nothing has to be recalled again and again
 */
record CreditTerms(long quantumBytes, long maxBytes, long roomBytes) {
  /**
   * 32 KiB at a time, so that the tree's lock is taken once for some hundred small blocks; at most
   * 64 KiB, the largest slot, so that a heap of {@link Credits} holds 256 KiB. A budget of less
   * than 544 KiB never has credit out: one for each channel stays exact at the cost of the lock.
   */
  static final CreditTerms DEFAULT = new CreditTerms(32 << 10, 64 << 10, 512 << 10);
}
