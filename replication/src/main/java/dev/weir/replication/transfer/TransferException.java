package dev.weir.replication.transfer;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A container that was not copied; the message says why, and what to do. */
public class TransferException extends IOException {
  private static final long serialVersionUID = 1;

  /** Why. */
  public enum Reason {
    /** By the other side, or by this one: no such container, no room, a manifest that lies. */
    REFUSED,
    /** A chunk was wrong twice. */
    CORRUPT,
    /**
     * The other side does not answer, or not any more. What has come stays for the next attempt.
     */
    UNREACHABLE
  }

  private final Reason reason;

  /** Of a reason. */
  public TransferException(Reason reason, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  /** One that is refused. */
  public static TransferException refused(String message) {
    return new TransferException(Reason.REFUSED, message, null);
  }

  /** Why. */
  public final Reason reason() {
    return reason;
  }
}
