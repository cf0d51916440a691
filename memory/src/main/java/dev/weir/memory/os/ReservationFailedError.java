package dev.weir.memory.os;

/** A range of addresses could not be reserved. The message says which settings limit it. */
public final class ReservationFailedError extends OutOfMemoryError {
  private static final long serialVersionUID = 1L;

  /** Creates the error with a message that names the size, the reason and what to change. */
  public ReservationFailedError(String message) {
    super(message);
  }
}
