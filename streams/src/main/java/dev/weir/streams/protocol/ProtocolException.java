package dev.weir.streams.protocol;

/** A request that cannot be served, with the status and the one line that the client gets. */
public final class ProtocolException extends Exception {
  private static final long serialVersionUID = 1L;

  private final int status;

  public ProtocolException(int status, String reason) {
    super(reason, null, /* enableSuppression= */ false, /* writableStackTrace= */ false);
    this.status = status;
  }

  public static ProtocolException badRequest(String reason) {
    return new ProtocolException(400, reason);
  }

  public int status() {
    return status;
  }

  /** The line for the client. */
  public String reason() {
    String message = getMessage();
    return message == null ? "" : message;
  }
}
