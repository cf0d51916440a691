package dev.weir.replication.fetch;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A container that was not fetched; the message says why, and what to do. */
public final class FetchException extends IOException {
  private static final long serialVersionUID = 1;

  /** Why. */
  public enum Reason {
    /** By the source, or by this side: no such container, no room, a manifest that lies. */
    REFUSED,
    /** A chunk was wrong twice. */
    CORRUPT,
    /** The source does not answer, or not any more. What has come stays for the next attempt. */
    UNREACHABLE
  }

  private final Reason reason;

  /** Of a reason. */
  public FetchException(Reason reason, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  static FetchException refused(String message) {
    return new FetchException(Reason.REFUSED, message, null);
  }

  /** Why. */
  public Reason reason() {
    return reason;
  }
}
