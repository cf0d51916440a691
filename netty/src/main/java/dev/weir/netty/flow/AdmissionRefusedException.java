package dev.weir.netty.flow;

import org.jspecify.annotations.Nullable;

/** Tells why an {@link Admission} gave no permit. Carries no stack trace: refusal is normal. */
public final class AdmissionRefusedException extends Exception {
  private static final long serialVersionUID = 1L;

  /** What stood in the way of a permit. */
  public enum Reason {
    /** No room appeared in time. Trying again later may succeed. */
    DEADLINE,
    /** The request is larger than all there is: it can never be granted. */
    ABOVE_LIMIT,
    /** Too many requests wait already. Trying again later may succeed. */
    QUEUE_FULL,
    /** What admission draws from was closed or failed; the cause tells more. */
    UNAVAILABLE
  }

  private final Reason reason;

  /** Creates a refusal whose message says what was asked for and which limit it met. */
  public AdmissionRefusedException(Reason reason, String message) {
    this(reason, message, null);
  }

  /** Creates a refusal that another failure led to. */
  public AdmissionRefusedException(Reason reason, String message, @Nullable Throwable cause) {
    super(message, cause, /* enableSuppression= */ false, /* writableStackTrace= */ false);
    this.reason = reason;
  }

  /** Returns what stood in the way. */
  public Reason reason() {
    return reason;
  }
}
