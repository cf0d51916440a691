package dev.weir.compression.codec;

/** What was to be decompressed cannot be: the sender's fault, not ours. */
public final class CorruptInputException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Says what is wrong with the input. */
  public CorruptInputException(String message) {
    super(message);
  }

  /** Says what is wrong with the input, as a library found it. */
  public CorruptInputException(String message, Throwable cause) {
    super(message, cause);
  }
}
