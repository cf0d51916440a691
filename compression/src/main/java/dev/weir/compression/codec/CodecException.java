package dev.weir.compression.codec;

/** A compression library failed at something that its input cannot be blamed for. */
public final class CodecException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Says which call failed, and how. */
  public CodecException(String message) {
    super(message);
  }

  /** Says which call failed, and why. */
  public CodecException(String message, Throwable cause) {
    super(message, cause);
  }
}
