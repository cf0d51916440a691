package dev.weir.streams;

/** How an append ended, when the disk did not fail. */
public sealed interface AppendOutcome {
  /** The bytes are durable (and the stream closed, where asked). */
  record Appended(long tailOffset, boolean closed) implements AppendOutcome {}

  /** The same append was accepted before; nothing was added. */
  record Duplicate(long tailOffset, boolean closed, long epoch, long lastSequence)
      implements AppendOutcome {}

  /** The stream takes no more bytes. */
  record Closed(long tailOffset) implements AppendOutcome {}

  record NotFound() implements AppendOutcome {}

  /** Deleted, and kept for its forks only. */
  record Gone() implements AppendOutcome {}

  record ContentTypeDiffers(String expected) implements AppendOutcome {}

  /** {@code Stream-Seq} did not rise. */
  record SequenceNotAbove(String last) implements AppendOutcome {}

  /** A newer epoch of the producer has been seen. */
  record StaleEpoch(long currentEpoch) implements AppendOutcome {}

  /** The producer skipped a number. */
  record SequenceGap(long expected, long received) implements AppendOutcome {}

  /** A producer's new epoch must begin with sequence 0. */
  record EpochMustStartAtZero() implements AppendOutcome {}

  /** The stream remembers as many producers as it may. */
  record TooManyProducers(int limit) implements AppendOutcome {}
}
