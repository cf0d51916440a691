package dev.weir.streams;

/**
 * What an idempotent producer says of one append.
 *
 * @param producerId the producer's own name, not empty, at most {@link #MAX_ID_BYTES} of UTF-8
 * @param epoch 0 to 2^53 − 1; a higher epoch fences the lower ones
 * @param sequence 0 to 2^53 − 1; counts the appends of one epoch
 */
public record ProducerTag(String producerId, long epoch, long sequence) {
  /** All producers that a stream may have fit in its record in a snapshot. */
  public static final int MAX_ID_BYTES = 256;
}
