package dev.weir.replication.transfer;

import io.netty.handler.ssl.NotSslRecordException;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;

/**
 * How often a server may fail before it counts as unreachable: a few times in a row without a chunk
 * in between, with longer and longer pauses. For one thread.
 */
public final class Patience {
  private static final int MOST_FAILURES = 6;
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final String source;
  private int failures;
  private long progressSeen;

  /** With a server, by its host and port. */
  public Patience(String source) {
    this.source = source;
  }

  /**
   * Counts a failure.
   *
   * @param progress anything that rises while the server is of use
   * @return how long to wait, in nanoseconds
   * @throws TransferException when it was one too many, or none that another attempt can mend
   */
  public long failed(Throwable cause, long progress) throws TransferException {
    String hint = hint(cause);
    if (!hint.isEmpty()) {
      throw new TransferException(TransferException.Reason.REFUSED, source + ": " + hint, cause);
    }
    if (progress > progressSeen) {
      progressSeen = progress;
      failures = 0;
    }
    if (++failures == MOST_FAILURES) {
      throw new TransferException(
          TransferException.Reason.UNREACHABLE,
          "%s cannot be reached: %s (%d times); what has come is kept: do the same again to go on"
              .formatted(source, reason(cause), failures),
          cause);
    }
    return FIRST_PAUSE_NANOS << (failures - 1);
  }

  /** What an error says, or else what it is. */
  public static String reason(Throwable cause) {
    String message = cause.getMessage();
    return message == null ? cause.getClass().getSimpleName() : message;
  }

  /** What is wrong with TLS; empty where it is something else. */
  private static String hint(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof NotSslRecordException) {
        return "it speaks HTTP in the clear; use http://";
      }
      if (cause instanceof SSLException
          && !reason(cause).toLowerCase(Locale.ROOT).contains("closed")) {
        return "TLS fails: " + reason(cause) + " (--ca, --tls-cert and --tls-key say who is who)";
      }
    }
    return "";
  }
}
