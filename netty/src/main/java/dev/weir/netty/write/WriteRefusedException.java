package dev.weir.netty.write;

/**
 * A write would have queued more than a {@link WriteGate} allows, or its channel is being closed by
 * the gate. Its message was released.
 */
public final class WriteRefusedException extends Exception {
  private static final long serialVersionUID = 1L;

  private final OutboundClosing.Reason reason;

  WriteRefusedException(OutboundClosing.Reason reason, String message) {
    super(message, null, /* enableSuppression= */ false, /* writableStackTrace= */ false);
    this.reason = reason;
  }

  /** Which bound was met, or why the channel is being closed. */
  public OutboundClosing.Reason reason() {
    return reason;
  }
}
